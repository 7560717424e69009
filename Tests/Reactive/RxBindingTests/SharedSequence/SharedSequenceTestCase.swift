import Rx
import RxBinding
import RxTestSupport
import XCTest

/// A test of what every operator of a shared sequence keeps: one subscription to the source for all subscribers, every
/// element on the main queue, no error.
class SharedSequenceTestCase: RxTestCase {
  /// What two subscribers of `sequence` received, who subscribed in the background, after `send` has run in the
  /// background too. `send` must end the sequence.
  ///
  /// Fails unless the second subscriber received the last elements of the first, and both everything on the main queue.
  func elements<Strategy: SharingStrategyProtocol, Element: Equatable & Sendable>(
    of sequence: SharedSequence<Strategy, Element>, file: StaticString = #filePath, line: UInt = #line,
    when send: @escaping @Sendable () -> Void
  ) -> [Element] {
    let first = Recorder<Event<Element>>()
    let second = Recorder<Event<Element>>()
    let isOnMain = Recorder<Bool>()

    onBackgroundQueue {
      for recorder in [first, second] {
        _ = sequence.asObservable().subscribe { event in
          isOnMain.recordWhetherOnMain()
          recorder.record(event)
        }
      }
    }
    // What is subscribed to on the main queue is subscribed to now.
    let subscribed = Recorder<Bool>()
    MainQueue.runLater { subscribed.record(true) }
    XCTAssertTrue(eventually { !subscribed.values.isEmpty }, file: file, line: line)
    let synchronous = isOnMain.values.count

    onBackgroundQueue(send)
    let ended = eventually { first.values.last?.isStopEvent == true && second.values.last?.isStopEvent == true }
    XCTAssertTrue(ended, "the sequence did not end", file: file, line: line)
    XCTAssertFalse(isOnMain.values.dropFirst(synchronous).contains(false), "off the main queue", file: file, line: line)
    for recorder in [first, second] {
      XCTAssertNil(recorder.values.last?.error, "an error came through", file: file, line: line)
    }
    let elements = first.values.compactMap(\.element)
    XCTAssertEqual(elements, second.values.compactMap(\.element), file: file, line: line)
    return elements
  }
}

/// A source that counts its subscriptions.
final class CountedSource<Element: Sendable>: ObservableType {
  private let subject = PublishSubject<Element>()
  private let log = Recorder<Int>()

  /// How many subscriptions there are now.
  var subscriberCount: Int {
    log.values.reduce(0, +)
  }

  /// How many subscriptions there have been.
  var subscriptionCount: Int {
    log.values.count { $0 > 0 }
  }

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element {
    log.record(1)
    let subscription = subject.subscribe(observer)
    return Disposables.create { [log] in
      subscription.dispose()
      log.record(-1)
    }
  }

  func send(_ elements: Element...) {
    for element in elements { subject.onNext(element) }
  }

  func fail() {
    subject.onError(TestError.first)
  }

  func complete() {
    subject.onCompleted()
  }
}
