import Rx
import RxBinding
import Testing

/// A small to-do list: what the user types goes into a relay by `bind`, what is shown comes out of it by `drive`.
@MainActor
@Suite struct TaskListTests {
  private struct Chore: Sendable {
    let title: String
    var isDone = false
  }

  private let field = TextField()
  private let addButton = Button()
  private let list = ListView()
  private let count = Label()
  private let chores = BehaviorRelay<[Chore]>(value: [])
  private let bag = DisposeBag()

  init() {
    let (field, chores) = (field, chores)
    field.rx.text.orEmpty
      .map { !$0.isEmpty }
      .bind(to: addButton.rx.isEnabled)
      .disposed(by: bag)

    addButton.rx.tap
      .withLatestFrom(field.rx.text.orEmpty)
      .filter { !$0.isEmpty }
      .bind(
        to: Binder(field) { field, title in
          chores.accept(chores.value + [Chore(title: title)])
          field.type("")
        }
      )
      .disposed(by: bag)

    chores
      .bind(to: list.rx.items) { _, _, chore in
        let cell = ListCell()
        cell.text = (chore.isDone ? "☑ " : "☐ ") + chore.title
        return cell
      }
      .disposed(by: bag)

    list.rx.itemSelected
      .bind(onNext: { row in
        var changed = chores.value
        changed[row].isDone.toggle()
        chores.accept(changed)
      })
      .disposed(by: bag)

    chores
      .map { chores in "done: \(chores.filter(\.isDone).count) of \(chores.count)" }
      .asDriver(onErrorJustReturn: "done: 0 of 0")
      .drive(count.rx.text)
      .disposed(by: bag)
  }

  @Test func theButtonFollowsTheField() {
    #expect(!addButton.isEnabled)
    field.type("water the plants")
    #expect(addButton.isEnabled)
  }

  @Test func choresAreAddedTickedAndCounted() {
    for title in ["water the plants", "", "feed the cat"] {
      field.type(title)
      addButton.tap()
    }
    #expect(list.cells.map(\.text) == ["☐ water the plants", "☐ feed the cat"])
    #expect(field.text == "")
    list.select(1)
    #expect(list.cells.map(\.text) == ["☐ water the plants", "☑ feed the cat"])
    #expect(count.text == "done: 1 of 2")
    list.select(1)
    #expect(count.text == "done: 0 of 2")
  }
}
