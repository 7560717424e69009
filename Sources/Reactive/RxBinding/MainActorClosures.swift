import Rx

/// `closure` for an operator of an ordinary sequence whose elements come on the main queue; the caller sees to that.
func onMainActor<each Value: Sendable, Result: Sendable>(
  _ closure: @escaping @MainActor (repeat each Value) throws -> Result
) -> @Sendable (repeat each Value) throws -> Result {
  { (value: repeat each Value) in try MainActor.assumeIsolated { try closure(repeat each value) } }
}

/// `closure`, if there is one, at once on the main queue, otherwise later.
func onMainQueue(_ closure: (@MainActor () -> Void)?) -> (@Sendable () -> Void)? {
  guard let closure else { return nil }
  return { MainQueue.run(closure) }
}
