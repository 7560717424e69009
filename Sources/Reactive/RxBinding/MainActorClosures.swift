import Rx

/// `closure` for an operator of an ordinary sequence whose elements come on the main queue; the caller sees to that.
func onMainActor<each Value: Sendable, Result: Sendable>(
  _ closure: @escaping @MainActor (repeat each Value) -> Result
) -> @Sendable (repeat each Value) -> Result {
  { (value: repeat each Value) in MainActor.assumeIsolated { closure(repeat each value) } }
}

/// `closure`, if there is one, at once on the main queue, otherwise later.
func onMainActor(_ closure: (@MainActor () -> Void)?) -> (@Sendable () -> Void)? {
  guard let closure else { return nil }
  return { MainQueue.run(closure) }
}

/// Hands each element to all of `relays` in turn.
func forEach<Relay: Sendable, Element>(
  of relays: [Relay], _ accept: @escaping @Sendable (Relay, Element) -> Void
) -> @MainActor (Element) -> Void {
  { element in
    for relay in relays { accept(relay, element) }
  }
}

/// `closure` for an operator of an ordinary sequence whose elements come on the main queue; the caller sees to that.
func throwingOnMainActor<each Value: Sendable, Result: Sendable>(
  _ closure: @escaping @MainActor (repeat each Value) throws -> Result
) -> @Sendable (repeat each Value) throws -> Result {
  { (value: repeat each Value) in try MainActor.assumeIsolated { try closure(repeat each value) } }
}
