import Rx
import RxBinding
import RxTerminal
import RxTest
import TerminalKit
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct ListViewRxTests {
  private final class KeySource: RxListViewDataSourceType, ListViewModels {
    private var keys: [String] = []

    func listView(_ listView: ListView, observedElement: [String: Int]) {
      keys = observedElement.keys.sorted()
      listView.reloadData()
    }

    func numberOfRows(in listView: ListView) -> Int { keys.count }

    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      let cell = listView.dequeueReusableCell(withIdentifier: "key")
      cell.text = keys[row]
      return cell
    }

    func model(at row: Int) -> Any? { keys[row] }
  }

  private let scheduler = TestScheduler(initialClock: 0)
  private let list = ListView()
  private let screen: Screen
  private let bag = DisposeBag()

  init() {
    screen = Screen(root: list, size: Size(width: 10, height: 3))
    list.frame = Rect(x: 0, y: 0, width: 10, height: 3)
  }

  private func bindNumbers() {
    scheduler.createHotObservable([.next(10, [5, 6, 7]), .next(20, [8])])
      .bind(to: list.rx.items(cellIdentifier: "number")) { row, number, cell in cell.text = "\(row): \(number)" }
      .disposed(by: bag)
  }

  @Test func rowsFollowTheirStream() {
    bindNumbers()
    scheduler.advanceTo(15)
    #expect(screen.render().text == "0: 5\n1: 6\n2: 7\n")
    scheduler.advanceTo(25)
    #expect(screen.render().text == "0: 8\n\n\n")
  }

  @Test func aDataSourceOfOnesOwnShowsTheElements() {
    let rows = BehaviorRelay(value: ["b": 1, "a": 2])
    let binding = rows.bind(to: list.rx.items(dataSource: KeySource()))
    #expect(screen.render().text == "a\nb\n\n")
    rows.accept(["z": 1])
    #expect(screen.render().text == "z\n\n\n")
    let models = scheduler.record(list.rx.modelSelected(String.self), in: bag)
    screen.press(.enter)
    #expect(models.events == [.next(0, "z")])
    binding.dispose()
    list.reloadData()
    #expect(list.numberOfRows == 0)
  }

  @Test func theUsersWorkIsEvents() {
    bindNumbers()
    let selected = scheduler.record(list.rx.itemSelected, in: bag)
    let models = scheduler.record(list.rx.modelSelected(Int.self), in: bag)
    let deleted = scheduler.record(list.rx.itemDeleted, in: bag)
    let deletedModels = scheduler.record(list.rx.modelDeleted(Int.self), in: bag)
    scheduler.advanceTo(12)
    screen.press(.end)
    screen.press(.enter)
    scheduler.advanceTo(14)
    screen.press(.up)
    screen.press(.delete)
    #expect(selected.events == [.next(12, 2)])
    #expect(models.events == [.next(12, 7)])
    #expect(deleted.events == [.next(14, 1)])
    #expect(deletedModels.events == [.next(14, 6)])
  }

  @Test func aDelegateOfTheUsersAnswersBesides() {
    final class Keeper: ListViewDelegate {
      var selected: [Int] = []
      func listView(_ listView: ListView, shouldSelectRow row: Int) -> Bool { row != 1 }
      func listView(_ listView: ListView, didSelectRow row: Int) { selected.append(row) }
    }
    bindNumbers()
    scheduler.advanceTo(15)
    let keeper = Keeper()
    let selected = scheduler.record(list.rx.itemSelected, in: bag)
    let installation = list.rx.setDelegate(keeper)
    for row in 0..<3 { list.select(row) }
    #expect(keeper.selected == [0, 2])
    #expect(selected.events == [.next(15, 0), .next(15, 2)])
    installation.dispose()
    list.select(1)
    #expect(keeper.selected == [0, 2])
    #expect(selected.events.count == 3)
  }

  /// A delegate that is set behind the proxy's back is called, and the streams go on.
  @Test func aDelegateThatIsSetLaterTakesNothingAway() {
    final class Counter: ListViewDelegate {
      var count = 0
      func listView(_ listView: ListView, didSelectRow row: Int) { count += 1 }
    }
    bindNumbers()
    scheduler.advanceTo(15)
    let selected = scheduler.record(list.rx.itemSelected, in: bag)
    let counter = Counter()
    list.delegate = counter
    list.select(1)
    #expect(counter.count == 1)
    #expect(selected.events == [.next(15, 1)])
  }

  @Test func streamsEndWithTheList() {
    var list: ListView! = ListView()
    let selected = scheduler.record(list.rx.itemSelected, in: bag)
    Observable.just([1]).bind(to: list.rx.items(cellIdentifier: "number")) { _, _, _ in }.disposed(by: bag)
    list = nil
    #expect(selected.events == [.completed(0)])
  }

  @Test func aRowsModelIsAskedFor() throws {
    #expect(throws: ItemsNotYetBound(row: 1)) { let _: Int = try list.rx.model(at: 1) }
    bindNumbers()
    scheduler.advanceTo(15)
    let number: Int = try list.rx.model(at: 1)
    #expect(number == 6)
    #expect(throws: ItemsNotYetBound(row: 3)) { let _: Int = try list.rx.model(at: 3) }
  }

  /// A stream that stays silent would not say what is wrong.
  @Test func aModelOfAnotherTypeTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let (list, bag) = (ListView(), DisposeBag())
      list.frame = Rect(x: 0, y: 0, width: 10, height: 3)
      Observable.just([5, 6]).bind(to: list.rx.items(cellIdentifier: "number")) { _, _, _ in }.disposed(by: bag)
      list.rx.modelSelected(String.self).subscribe().disposed(by: bag)
      list.select(0)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Row 0 shows a Int, not a String"))
  }
}
