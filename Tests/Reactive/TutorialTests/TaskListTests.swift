import Rx
import RxBinding
import RxTerminal
import TerminalKit
import TestSupport
import Testing

private struct Chore {
  let title: String
  var isDone = false
}

/// The first tutorial, lines 141 to 245: a to-do list. What the user types goes into a relay by `bind`, what is shown comes
/// out of it by `drive`.
@MainActor
private final class ChoresController {
  let field = TextField()
  let addButton = Button()
  let list = ListView.tall()
  let count = LoggedLabel()
  let chores = BehaviorRelay<[Chore]>(value: [])
  private let bag = DisposeBag()

  init() {
    list.register(BoundCell.self, forCellReuseIdentifier: "chore")
    bindInput()
    bindList()
    bindCount()
  }

  /// Lines 176 to 202.
  private func bindInput() {
    field.rx.text.orEmpty
      .map { !$0.isEmpty }
      .bind(to: addButton.rx.isEnabled)
      .disposed(by: bag)

    addButton.rx.tap
      .withLatestFrom(field.rx.text.orEmpty)
      .filter { !$0.isEmpty }
      .subscribe(onNext: { [weak self] title in
        guard let self else { return }
        var current = chores.value
        current.append(Chore(title: title))
        chores.accept(current)
        field.text = ""
      })
      .disposed(by: bag)
  }

  /// Lines 206 to 230.
  private func bindList() {
    chores
      .bind(to: list.rx.items(cellIdentifier: "chore", cellType: BoundCell.self)) { [weak self] row, chore, cell in
        cell.text = (chore.isDone ? "☑ " : "☐ ") + chore.title
        cell.rx.controlEvent(.primaryActionTriggered)
          .subscribe(onNext: { _ in
            guard let self else { return }
            var changed = self.chores.value
            changed[row].isDone.toggle()
            self.chores.accept(changed)
          })
          .disposed(by: cell.bag)
      }
      .disposed(by: bag)
  }

  /// Lines 236 to 245.
  private func bindCount() {
    chores
      .map { chores -> String in
        let done = chores.filter { $0.isDone }.count
        return "done: \(done) of \(chores.count)"
      }
      .asDriver(onErrorJustReturn: "done: 0 of 0")
      .drive(count.rx.text)
      .disposed(by: bag)
  }
}

@MainActor @Suite(.inTurn) struct TaskListTests {
  private let controller = ChoresController()

  @Test func theButtonFollowsTheField() {
    #expect(!controller.addButton.isEnabled)
    controller.field.type("water the plants")
    #expect(controller.addButton.isEnabled)
  }

  @Test func choresAreAddedTickedAndCounted() {
    for title in ["water the plants", "", "feed the cat"] {
      controller.field.type(title)
      controller.addButton.tap()
    }
    #expect(controller.list.visibleCells.map(\.text) == ["☐ water the plants", "☐ feed the cat"])
    #expect(controller.field.text == "")
    controller.list.select(1)
    #expect(controller.list.visibleCells.map(\.text) == ["☐ water the plants", "☑ feed the cat"])
    #expect(controller.count.text == "done: 1 of 2")
    controller.list.select(1)
    #expect(controller.count.text == "done: 0 of 2")
  }

  @Test func theControllerIsNotKeptByItsBindings() {
    var controller: ChoresController? = ChoresController()
    controller?.field.type("water the plants")
    controller?.addButton.tap()
    weak let weakController = controller
    controller = nil
    #expect(weakController == nil)
  }
}
