import Rx
import RxBinding
import RxTerminal
import TerminalKit

struct Todo: Sendable {
  let title: String
  var isDone = false
}

/// To-dos: a field, a button, a list and a count.
@MainActor
final class TodoController {
  let titleField = TextField(placeholder: "what is to be done")
  let addButton = Button(title: "Add")
  let list = ListView()
  let countLabel = Label(style: .dim)
  let screen: Screen

  private let todos = BehaviorRelay<[Todo]>(value: [])
  private let bag = DisposeBag()

  init() {
    let input = StackView(axis: .horizontal, spacing: 2, [(titleField, .fill), (addButton, .fitting)])
    screen = Screen(root: StackView(axis: .vertical, [(input, .fixed(1)), (list, .fill), (countLabel, .fixed(1))]))
    bindInput()
    bindList()
  }

  private func bindInput() {
    titleField.rx.text.orEmpty
      .map { !$0.isEmpty }
      .bind(to: addButton.rx.isEnabled)
      .disposed(by: bag)
    addButton.rx.tap
      .withLatestFrom(titleField.rx.text.orEmpty)
      .subscribe(onNext: { [weak self] title in
        guard let self else { return }
        todos.accept(todos.value + [Todo(title: title)])
        titleField.type("")
      })
      .disposed(by: bag)
  }

  private func bindList() {
    todos
      .bind(to: list.rx.items(cellIdentifier: "todo")) { _, todo, cell in
        cell.text = (todo.isDone ? "☑ " : "☐ ") + todo.title
      }
      .disposed(by: bag)
    list.rx.itemSelected
      .subscribe(onNext: { [weak self] row in
        guard let self else { return }
        var changed = todos.value
        changed[row].isDone.toggle()
        todos.accept(changed)
      })
      .disposed(by: bag)
    todos
      .map { todos in "done: \(todos.count { $0.isDone }) of \(todos.count)" }
      .asDriver(onErrorJustReturn: "")
      .drive(countLabel.rx.text)
      .disposed(by: bag)
  }
}
