import Synchronization

extension ObservableType {
  /// The first of this sequence and `right` to send an event; the other one is unsubscribed from (RxSwift).
  public func amb<Source: ObservableType>(_ right: Source) -> Observable<Element> where Source.Element == Element {
    .amb([asObservable(), right.asObservable()])
  }

  /// The first of the sequences to send an event; the others are unsubscribed from. `[]` gives no event (RxSwift).
  public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let sources = Array(sequence)
    return Observable { downstream in
      let race = Race(count: sources.count)
      // When one has won at once, the others are not even subscribed to.
      for (index, source) in sources.enumerated() where !race.isDecided {
        let sink = ClosureSink<Element> { event in
          if race.isWon(by: index) { downstream.on(event) }
        } onGone: {
          if race.leave(index) { downstream.sourceGone() }
        }
        race.subscriptions[index].setDisposable(source.subscribe(sink))
      }
      return Disposables.create(race.subscriptions)
    }
  }
}

/// The subscriptions of an `amb`, until one of them has won.
private final class Race: Sendable {
  let subscriptions: [SingleAssignmentDisposable]
  private let winner = Atomic<Int>(-1)
  private let open: Atomic<Int>

  init(count: Int) {
    subscriptions = (0..<count).map { _ in SingleAssignmentDisposable() }
    open = Atomic(count)
  }

  var isDecided: Bool {
    winner.load(ordering: .relaxed) >= 0
  }

  /// Whether `index` is the winner. The first index asked for becomes the winner.
  func isWon(by index: Int) -> Bool {
    let current = winner.load(ordering: .relaxed)
    if current >= 0 { return current == index }
    guard winner.compareExchange(expected: -1, desired: index, ordering: .relaxed).exchanged else { return false }
    for (other, subscription) in subscriptions.enumerated() where other != index { subscription.dispose() }
    return true
  }

  /// Records that `index` sends nothing more. Returns whether the race as a whole can send nothing more.
  func leave(_ index: Int) -> Bool {
    let left = open.wrappingSubtract(1, ordering: .relaxed).newValue
    return left == 0 || winner.load(ordering: .relaxed) == index
  }
}
