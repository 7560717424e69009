extension DelegateProxy {
  /// Handles one call of a delegate method that returns nothing: `sentMessage`, then the user's delegate, then
  /// `methodInvoked`.
  ///
  ///     func scale(_ scale: Scale, didWeigh grams: Double) {
  ///       invoke(.didWeigh, (scale, grams)) { $0.scale(scale, didWeigh: grams) }
  ///     }
  ///
  /// - Parameters:
  ///   - method: The method's key.
  ///   - arguments: What observers get; evaluated only when there are some, for each of the two streams.
  ///   - forward: Calls the same method of the user's delegate; not called when there is none.
  @inlinable
  @inline(__always)
  public final func invoke<Arguments>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    forward: @MainActor (Delegate) -> Void
  ) {
    if observed.sentMessage & method.bit != 0 { observed.send(arguments(), of: method, method.bit, to: .sentMessage) }
    if let delegate = self.forward.load() { forward(delegate) }
    if observed.methodInvoked & method.bit != 0 {
      observed.send(arguments(), of: method, method.bit, to: .methodInvoked)
    }
  }

  /// Handles one call of a delegate method that returns a value: the user's delegate answers, or, when there is none,
  /// the default that is stated here.
  ///
  ///     func scaleShouldBeep(_ scale: Scale) -> Bool {
  ///       invoke(.shouldBeep, scale, default: true) { $0.scaleShouldBeep(scale) }
  ///     }
  ///
  /// - Parameters:
  ///   - method: The method's key.
  ///   - arguments: What observers get; evaluated only when there are some, for each of the two streams.
  ///   - default: The answer without a user's delegate; evaluated only then.
  ///   - forward: Calls the same method of the user's delegate.
  /// - Returns: The answer.
  @inlinable
  @inline(__always)
  public final func invoke<Arguments, Answer>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    default: @autoclosure @MainActor () -> Answer,
    forward: @MainActor (Delegate) -> Answer
  ) -> Answer {
    if observed.sentMessage & method.bit != 0 { observed.send(arguments(), of: method, method.bit, to: .sentMessage) }
    let answer = if let delegate = self.forward.load() { forward(delegate) } else { `default`() }
    if observed.methodInvoked & method.bit != 0 {
      observed.send(arguments(), of: method, method.bit, to: .methodInvoked)
    }
    return answer
  }
}
