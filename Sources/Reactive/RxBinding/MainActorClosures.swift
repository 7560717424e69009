import Rx

/// `closure` for an operator of an ordinary sequence. The caller sees to it that its elements come on the main queue.
func onMainActor<each Value: Sendable, Result: Sendable>(
  _ closure: @escaping @MainActor (repeat each Value) throws -> Result
) -> @Sendable (repeat each Value) throws -> Result {
  { (value: repeat each Value) in try MainActor.assumeIsolated { try closure(repeat each value) } }
}

/// A function that calls `closure`, if there is one: at once on the main queue, otherwise later.
func onMainQueue(_ closure: (@MainActor () -> Void)?) -> (@Sendable () -> Void)? {
  guard let closure else { return nil }
  return { MainQueue.run(closure) }
}
