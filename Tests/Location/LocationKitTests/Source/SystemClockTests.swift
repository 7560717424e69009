import Testing

@testable import LocationKit

@MainActor
@Suite struct SystemClockTests {
  @Test(.timeLimit(.minutes(30)))
  func firesOnTheMainActorAndNotWhenCancelled() async {
    let clock = SystemClock()
    let start = clock.now
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let cancelled = clock.schedule(after: 0.01) { continuation.yield("cancelled") }
    cancelled.cancel()
    _ = clock.schedule(after: 0.01) { continuation.yield("released") }
    let never = [Double.infinity, 1e300].map { clock.schedule(after: $0) { continuation.yield("never") } }
    let late = clock.schedule(after: 0.05) { continuation.yield("late") }
    let soon = clock.schedule(after: -1) { continuation.yield("soon") }
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == "soon")
    #expect(await iterator.next() == "late")
    #expect(clock.now - start >= 0.05)
    withExtendedLifetime((never, late, soon)) {}
  }
}
