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
      let subscriptions = sources.map { _ in SingleAssignmentDisposable() }
      let winner = Atomic<Int>(-1)
      let open = Atomic<Int>(sources.count)
      // The first index asked for becomes the winner.
      let isWon: @Sendable (Int) -> Bool = { index in
        let current = winner.load(ordering: .relaxed)
        if current >= 0 { return current == index }
        guard winner.compareExchange(expected: -1, desired: index, ordering: .relaxed).exchanged else { return false }
        for (other, subscription) in subscriptions.enumerated() where other != index { subscription.dispose() }
        return true
      }
      // When one has won at once, the others are not even subscribed to.
      for (index, source) in sources.enumerated() where winner.load(ordering: .relaxed) < 0 {
        let sink = InnerSink<Element>(beside: downstream) { element in
          if isWon(index) { downstream.next(element) }
        } onEnd: { error in
          if isWon(index) { downstream.end(error) }
        } onGone: {
          let left = open.wrappingSubtract(1, ordering: .relaxed).newValue
          if left == 0 || winner.load(ordering: .relaxed) == index { downstream.sourceGone() }
        }
        subscriptions[index].setDisposable(source.subscribe(sink))
      }
      return Disposables.create(subscriptions)
    }
  }
}
