public import Rx

// How a proxy handles one call of a delegate method, in four forms: with an answer or without, at once or
// asynchronously. Each of them throws what the user's delegate throws; `methodInvoked` has its element then, too. The
// forms that answer at once end the process when they are called off the main actor; the asynchronous ones go there by
// themselves.
extension DelegateProxyType {
  /// Handles a call of a delegate method that returns nothing: `sentMessage`, the user's delegate, `methodInvoked`.
  ///
  ///     func scale(_ scale: Scale, didWeigh grams: Double) {
  ///       invoke(.didWeigh, (scale, grams)) { $0.scale(scale, didWeigh: grams) }
  ///     }
  ///
  /// - Parameters:
  ///   - method: The method's key.
  ///   - arguments: What observers get; evaluated only when there are some, for each of the two streams.
  ///   - forward: Calls the same method of the user's delegate; not called without one.
  /// - Throws: What the user's delegate throws.
  @inlinable
  public func invoke<Arguments, Failure: Error>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    forward: @MainActor (Delegate) throws(Failure) -> Void
  ) throws(Failure) {
    observedMethods.checkIsolation(of: method.name, in: Self.self)
    observedMethods.observers(of: method, .sentMessage)?.onNext(arguments())
    defer { observedMethods.observers(of: method, .methodInvoked)?.onNext(arguments()) }
    if let delegate = forwarded { try forward(delegate) }
  }

  /// Handles one call of a delegate method that returns a value: the user's delegate answers. Without a delegate the
  /// answer is `default`, which is evaluated only then.
  ///
  ///     func scaleShouldBeep(_ scale: Scale) -> Bool {
  ///       invoke(.shouldBeep, scale, default: true) { $0.scaleShouldBeep(scale) }
  ///     }
  @inlinable
  public func invoke<Arguments, Answer, Failure: Error>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    default: @autoclosure @MainActor () -> Answer,
    forward: @MainActor (Delegate) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    observedMethods.checkIsolation(of: method.name, in: Self.self)
    observedMethods.observers(of: method, .sentMessage)?.onNext(arguments())
    defer { observedMethods.observers(of: method, .methodInvoked)?.onNext(arguments()) }
    guard let delegate = forwarded else { return `default`() }
    return try forward(delegate)
  }

  /// Handles one call of an asynchronous delegate method that returns nothing: `sentMessage`, then the user's delegate,
  /// and `methodInvoked` when that has finished.
  ///
  ///     func scale(_ scale: Scale, calibrateTo grams: Double) async throws {
  ///       try await invoke(.calibrate, (scale, grams)) { try await $0.scale(scale, calibrateTo: grams) }
  ///     }
  @inlinable
  public func invoke<Arguments, Failure: Error>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    forward: @MainActor (Delegate) async throws(Failure) -> Void
  ) async throws(Failure) {
    observedMethods.observers(of: method, .sentMessage)?.onNext(arguments())
    defer { observedMethods.observers(of: method, .methodInvoked)?.onNext(arguments()) }
    if let delegate = forwarded { try await forward(delegate) }
  }

  /// Handles one call of an asynchronous delegate method that returns a value: the user's delegate answers. Without a
  /// delegate the answer is `default`, which is evaluated only then.
  @inlinable
  public func invoke<Arguments, Answer, Failure: Error>(
    _ method: DelegateMethod<Delegate, Arguments>,
    _ arguments: @autoclosure @MainActor () -> Arguments,
    default: @autoclosure @MainActor () -> Answer,
    forward: @MainActor (Delegate) async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    observedMethods.observers(of: method, .sentMessage)?.onNext(arguments())
    defer { observedMethods.observers(of: method, .methodInvoked)?.onNext(arguments()) }
    guard let delegate = forwarded else { return `default`() }
    return try await forward(delegate)
  }
}
