import Rx
import RxBinding
import RxTestSupport
import Testing

final class CountedSource<Element: Sendable>: ObservableType {
  private let subject = PublishSubject<Element>()
  private let log = Recorder<Int>()

  var subscriberCount: Int { log.values.reduce(0, +) }

  /// How many subscriptions there have been.
  var subscriptionCount: Int { log.values.count { $0 > 0 } }

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

  func fail() { subject.onError(TestError.first) }
}

/// What two subscribers of `sequence` received, who subscribed in the background, after `send` has run in the
/// background too. `send` must end the sequence.
///
/// Fails unless the second subscriber received the elements of the first, both received everything on the main queue, and
/// no error came through.
@MainActor func elements<Strategy: SharingStrategyProtocol, Element: Equatable & Sendable>(
  of sequence: SharedSequence<Strategy, Element>, at location: SourceLocation = #_sourceLocation,
  when send: @escaping @Sendable () -> Void
) async -> [Element] {
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
  #expect(await eventually { !subscribed.values.isEmpty }, sourceLocation: location)
  let synchronous = isOnMain.values.count

  onBackgroundQueue(send)
  let ended = await eventually { first.values.last?.isStopEvent == true && second.values.last?.isStopEvent == true }
  #expect(ended, "the sequence did not end", sourceLocation: location)
  #expect(!isOnMain.values.dropFirst(synchronous).contains(false), "off the main queue", sourceLocation: location)
  for recorder in [first, second] {
    #expect(recorder.values.last?.error == nil, "an error came through", sourceLocation: location)
  }
  let elements = first.values.compactMap(\.element)
  #expect(elements == second.values.compactMap(\.element), sourceLocation: location)
  return elements
}
