// The first tutorial: what the user types goes into a relay by `bind`, and what is shown comes out of it by `drive`. Its delegate
// proxy is that of Tutorial4.

import Rx
import RxBinding
import RxTerminal
import TerminalKit

nonisolated struct Chore {
  let title: String
  var isCompleted = false
}

/// A cell with a bag for what is bound to it while it shows one row.
final class ChoreCell: ListCell {
  private(set) var disposeBag = DisposeBag()

  override func prepareForReuse() {
    super.prepareForReuse()
    disposeBag = DisposeBag()
  }
}

final class ChoresController {
  let taskTextField = TextField()
  let addButton = Button(title: "Add")
  let tableView = ListView()
  let completedCountLabel = Label()

  let chores = BehaviorRelay<[Chore]>(value: [])

  private let disposeBag = DisposeBag()

  init() {
    tableView.register(ChoreCell.self, forCellReuseIdentifier: "chore")
    setupBindings()
  }

  private func setupBindings() {
    taskTextField.rx.text.orEmpty
      .map { !$0.isEmpty }
      .bind(to: addButton.rx.isEnabled)
      .disposed(by: disposeBag)

    addButton.rx.tap
      .withLatestFrom(taskTextField.rx.text.orEmpty)
      .filter { !$0.isEmpty }
      .subscribe(onNext: { [weak self] text in
        guard let self else { return }
        var current = self.chores.value
        current.append(Chore(title: text))
        self.chores.accept(current)
        self.taskTextField.text = ""
      })
      .disposed(by: disposeBag)

    chores
      .bind(to: tableView.rx.items(cellIdentifier: "chore", cellType: ChoreCell.self)) { [weak self] row, chore, cell in
        cell.text = (chore.isCompleted ? "☑ " : "☐ ") + chore.title
        cell.rx.controlEvent(.primaryActionTriggered)
          .subscribe(onNext: { _ in
            guard let self else { return }
            var changed = self.chores.value
            changed[row].isCompleted = !changed[row].isCompleted
            self.chores.accept(changed)
          })
          .disposed(by: cell.disposeBag)
      }
      .disposed(by: disposeBag)

    chores
      .map { chores -> String in
        let completed = chores.filter { $0.isCompleted }.count
        return "completed: \(completed) / \(chores.count)"
      }
      .asDriver(onErrorJustReturn: "completed: 0 / 0")
      .drive(completedCountLabel.rx.text)
      .disposed(by: disposeBag)
  }
}

// The user adds two chores, and does the first one.
let controller = ChoresController()
let screen = Screen(
  root: StackView(
    axis: .vertical,
    [
      (controller.taskTextField, .fixed(1)), (controller.addButton, .fixed(1)), (controller.tableView, .fixed(2)),
      (controller.completedCountLabel, .fixed(1)),
    ]))
screen.size = Size(width: 24, height: 5)
for title in ["water the plants", "feed the cat"] {
  controller.taskTextField.type(title)
  controller.addButton.tap()
}
_ = screen.render()
controller.tableView.select(0)
print(screen.render().text)
