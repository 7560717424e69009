import Rx
import RxBinding
import RxTestSupport
import XCTest

// `@unchecked Sendable`: XCTest calls it on the main thread only.
final class ControlPropertyTests: RxTestCase, @unchecked Sendable {
  func testItsSourceIsSubscribedToOnTheMainQueue() {
    let isOnMain = Recorder<Bool>()
    let property = ControlProperty(
      values: Observable<Int>.deferred {
        isOnMain.recordWhetherOnMain()
        return .never()
      }, valueSink: AnyObserver { _ in })
    let subscription = onBackgroundQueue { property.subscribe(onNext: { _ in }) }
    XCTAssertTrue(eventually { isOnMain.values == [true] })
    subscription.dispose()
  }

  func testItSetsTheValueAndReadsIt() {
    let value = BehaviorSubject(value: 1)
    let set = Recorder<Event<Int>>()
    let property = ControlProperty(values: value, valueSink: AnyObserver { set.record($0) })
    let received = Recorder<Int>()

    let reading = property.asControlProperty().subscribe(onNext: { received.record($0) })
    _ = Observable.of(2, 3).bind(to: property)
    reading.dispose()

    XCTAssertEqual(received.values, [1])
    XCTAssertEqual(set.values.compactMap(\.element), [2, 3])
  }

  func testChangedLeavesTheFirstValueOut() {
    let value = BehaviorSubject(value: 0)
    let property = ControlProperty(values: value, valueSink: AnyObserver { _ in })
    let received = Recorder<Int>()
    let subscription = property.changed.subscribe(onNext: { received.record($0) })
    XCTAssertEqual(received.values, [])
    value.onNext(1)
    subscription.dispose()
    value.onNext(2)
    XCTAssertEqual(received.values, [1])
  }

  func testOrEmpty() {
    let set = Recorder<Event<String?>>()
    let property = ControlProperty<String?>(values: Observable.just(nil), valueSink: AnyObserver { set.record($0) })
    let received = Recorder<String>()
    _ = property.orEmpty.subscribe(onNext: { received.record($0) })
    property.orEmpty.onNext("a")
    XCTAssertEqual(received.values, [""])
    XCTAssertEqual(set.values.compactMap(\.element), ["a"])
  }

  func testAsDriver() {
    onMain {
      let value = BehaviorSubject(value: 1)
      let property = ControlProperty(values: value, valueSink: AnyObserver { _ in })
      let received = Recorder<Int>()
      let subscription = property.asDriver().drive(onNext: { received.record($0) })
      onBackgroundQueue { value.onNext(2) }
      XCTAssertTrue(eventually { received.values == [1, 2] })
      subscription.dispose()
    }
  }

  func testWhatTheProgramSetsDoesNotComeBack() {
    onMain {
      let relay = BehaviorRelay(value: "a")
      let typed = PublishSubject<String>()
      let shown = Recorder<String>()
      let property = ControlProperty(
        values: typed.startWith(""), valueSink: AnyObserver { if let text = $0.element { shown.record(text) } })
      let bag = DisposeBag()

      relay.asDriver().drive(property).disposed(by: bag)
      property.changed.bind(to: relay).disposed(by: bag)
      typed.onNext("typed")

      XCTAssertEqual(relay.value, "typed")
      XCTAssertEqual(shown.values, ["a", "typed"])
    }
  }
}
