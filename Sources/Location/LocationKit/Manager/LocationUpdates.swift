/// The sequence that `LocationManager.liveUpdates()` returns: each fix as it comes, and each loss once. It ends
/// with a recording, and never for a live source.
///
/// It asks the source for fixes from the first element that somebody awaits until the iterator is released or
/// its task is cancelled. Each iterator hears every event from its beginning. Elements that wait for a slow
/// reader are kept, up to the number that was given.
public struct LocationUpdates: AsyncSequence, Sendable {
  /// How many elements wait for a slow reader.
  public typealias BufferingPolicy = AsyncStream<LocationUpdate>.Continuation.BufferingPolicy

  let start: @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void
  let bufferingPolicy: BufferingPolicy

  /// Begins to read; the source is asked at the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(start: start, bufferingPolicy: bufferingPolicy)
  }

  /// Reads updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let start: @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void
    private let bufferingPolicy: BufferingPolicy
    private var stream: AsyncStream<LocationUpdate>.Iterator?

    init(
      start: @escaping @MainActor @Sendable (AsyncStream<LocationUpdate>.Continuation) -> Void,
      bufferingPolicy: BufferingPolicy
    ) {
      self.start = start
      self.bufferingPolicy = bufferingPolicy
    }

    /// The next update; `nil` at the end of a recording and when the task is cancelled.
    public mutating func next() async -> LocationUpdate? {
      await next(isolation: nil)
    }

    /// The next update; `nil` at the end of a recording and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LocationUpdate? {
      if stream == nil {
        let (updates, continuation) = AsyncStream.makeStream(
          of: LocationUpdate.self, bufferingPolicy: bufferingPolicy)
        stream = updates.makeAsyncIterator()
        await start(continuation)
      }
      return await stream?.next(isolation: actor)
    }
  }
}
