import GPSD
import LocationKit
import Testing
import TestSupport

/// Who is attached to the source: several, nobody, one that stops it or is slow.
extension GPSDTests.FakeGPSDTests {
  @Test func severalReceiversShareOneConnection() async throws {
    let (first, client) = try await connect()
    let second = Listener(first.source)
    client.send(tpv(0))
    try #require(await eventually { first.locations.count == 1 && second.locations.count == 1 })
    first.stop()
    client.send(tpv(1))
    try #require(await eventually { second.locations.count == 2 })
    #expect(first.locations.count == 1)
    second.stop()
    #expect(try await client.next() == [])
  }

  @Test func startsAgainAfterAStop() async throws {
    let source = makeSource()
    for round in 0..<3 {
      let listener = Listener(source)
      let client = try await welcome()
      client.send(tpv(round))
      try #require(await eventually { listener.locations.count == 1 })
      listener.stop()
    }
  }

  @Test func stopsWhenReleased() async throws {
    var listener: Listener? = Listener(makeSource())
    let client = try await welcome()
    try #require(await eventually { listener?.connections == 1 })
    listener = nil
    #expect(try await client.next() == [])
  }

  @Test func aReceiverMayStopItInTheMiddleOfABatch() async throws {
    let (listener, client) = try await connect()
    listener.onLocation = { [weak listener] in listener?.stop() }
    client.send((0..<40).map { tpv($0) }.joined())
    try #require(await eventually { !listener.locations.isEmpty })
    // The connection is closed, so nothing more can come.
    #expect(try await client.next() == [])
    #expect(listener.locations.count == 1)
  }

  @Test func aSlowReceiverSlowsTheReadingDown() async {
    // In a process of its own: what other tests hold meanwhile would count.
    await #expect(processExitsWith: .success) { @MainActor in
      // A million reports are 100 MB: what is not yet wanted stays in the socket, not in this process.
      let tests = try GPSDTests.FakeGPSDTests()
      let (listener, client) = try await tests.connect()
      let before = ProcessUsage()
      let sender = Task.detached { [tpv = (0..<1000).map { tests.tpv($0) }.joined()] in
        for _ in 0..<1000 where !client.send(tpv) { return false }
        return true
      }
      // The main actor is held here until the sockets are full.
      #expect(eventuallyBlocking { !client.isWritable })
      #expect(ProcessUsage().residentKiB - before.residentKiB < 20_000)
      #expect(listener.stop() < 4)
      #expect(await sender.value == false)
    }
  }
}
