import Foundation
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

/// Tests that ask how soon something happens run one after the other, after most others.
@Suite(.startsPrograms) enum GPSDTests {}

extension GPSDTests {
  /// A real gpsd that goes, comes, and is silent.
  @MainActor
  @Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "gpsd is not installed"))
  struct RealGPSDTests {
    private func makeSource(_ gpsd: RealGPSD, device: String? = nil) -> GPSDSource {
      GPSDSource(endpoint: GPSDEndpoint(host: "localhost", port: gpsd.port, device: device))
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1"]) func connectsByNameAndAddress(host: String) async throws {
      let gpsd = try RealGPSD()
      let source = GPSDSource(endpoint: GPSDEndpoint(host: host, port: gpsd.port))
      let listener = Listener(source)
      try #require(await eventually { listener.connections > 0 })
      try await expectLocation(from: gpsd, listener)
      source.detach(listener)
    }

    @Test func waitsForGPSD() async throws {
      let gpsd = try RealGPSD()
      gpsd.kill()
      let source = GPSDSource(
        endpoint: GPSDEndpoint(host: "localhost", port: gpsd.port),
        configuration: GPSDConfiguration(minimumRetryDelay: 0.02))
      let listener = Listener(source)
      try #require(await eventually { !listener.failures.isEmpty })
      #expect(listener.failures.map(\.code) == [.network])
      #expect(listener.notableLog.count == 1)
      // The next one may have begun already.
      let attempts = listener.events.prefix { if case .failed = $0 { false } else { true } }
      #expect(attempts.count { $0 == .status(.connecting) } == 6)
      try gpsd.start()
      try #require(await eventually { listener.connections > 0 })
      try await expectLocation(from: gpsd, listener)
      source.detach(listener)
    }

    @Test func comesBackAfterARestart() async throws {
      let gpsd = try RealGPSD()
      let source = makeSource(gpsd)
      let listener = Listener(source)
      try #require(await eventually { listener.connections > 0 })
      var index = 0
      try await expectLocation(from: gpsd, listener, &index)
      for round in 0..<(runsLongTests ? 50 : 5) {
        // In mid-stream, sometimes in the middle of a sentence.
        gpsd.feed(String(NMEA.epoch(index).dropLast(round % 200)))
        gpsd.kill()
        listener.clear()
        try gpsd.start()
        try await expectLocation(from: gpsd, listener, &index)
        #expect(listener.failures.isEmpty, "a short restart is nothing to complain of")
      }
      source.detach(listener)
    }

    @Test func aDeviceMayBeRemovedAndAdded() async throws {
      let gpsd = try RealGPSD()
      let device = try #require(gpsd.device)
      let source = makeSource(gpsd, device: device)
      let listener = Listener(source)
      try #require(await eventually { listener.connections > 0 })
      var index = 0
      for _ in 0..<3 {
        try await expectLocation(from: gpsd, listener, &index)
        listener.clear()
        #expect(try gpsd.control("-" + device))
        try #require(await eventually { listener.statuses.last == .connected(devices: []) })
        #expect(try gpsd.control("+" + device))
        try gpsd.acceptFeed()
      }
      try await expectLocation(from: gpsd, listener, &index)
      #expect(listener.connections > 0 && listener.failures.isEmpty)
      source.detach(listener)
    }

    @Test func anUnpluggedSourceMayComeBack() async throws {
      let gpsd = try RealGPSD()
      let source = makeSource(gpsd)
      let listener = Listener(source)
      var index = 0
      try #require(await eventually { listener.connections > 0 })
      try await expectLocation(from: gpsd, listener, &index)
      gpsd.closeFeed()
      // gpsd 3.22 does not connect to a lost tcp:// source again by itself: this is what plugging in does.
      let device = try #require(gpsd.device)
      try gpsd.control("-" + device)
      try gpsd.control("+" + device)
      try gpsd.acceptFeed()
      listener.clear()
      try await expectLocation(from: gpsd, listener, &index)
      source.detach(listener)
    }

    /// In a process of its own, where no other thread can be taken for the source's.
    @Test func silenceIsNoLossAndNoWork() async throws {
      await #expect(processExitsWith: .success) { try await GPSDTests.RealGPSDTests().beSilent() }
    }

    private func beSilent() async throws {
      let gpsd = try RealGPSD()
      let source = makeSource(gpsd)
      let listener = Listener(source)
      var index = 0
      try #require(await eventually { listener.connections > 0 })
      try await expectLocation(from: gpsd, listener, &index)
      var found: ReadingThread?
      try #require(
        await eventually {
          found = try? ReadingThread.find()
          return found != nil
        }, "the thread goes to sleep after it has delivered")
      let thread = try #require(found)
      let before = try thread.wakeups()
      listener.clear()
      // Long enough for a timer that polls to show itself.
      try await Task.sleep(for: .seconds(runsLongTests ? 15 : 2))
      try #require(try thread.wakeups() == before)
      try #require(listener.statuses.isEmpty && listener.failures.isEmpty && listener.locations.isEmpty)
      try await expectLocation(from: gpsd, listener, &index)
      try #require(listener.connections == 0, "the connection was kept")
      source.detach(listener)
    }

    @Test func aStoppedGPSDMayGoOn() async throws {
      let gpsd = try RealGPSD()
      let source = makeSource(gpsd)
      let listener = Listener(source)
      var index = 0
      try #require(await eventually { listener.connections > 0 })
      try await expectLocation(from: gpsd, listener, &index)
      gpsd.signal(SIGSTOP)
      // What it had sent before may still be on its way.
      let isQuiet = await eventually {
        listener.clear()
        try? await Task.sleep(for: .milliseconds(200))
        return listener.events.isEmpty
      }
      #expect(isQuiet)
      for _ in 0..<5 {
        gpsd.feed(NMEA.epoch(index))
        index += 1
      }
      // Long enough for a reader that gives up a silent connection to show itself.
      try await Task.sleep(for: .seconds(runsLongTests ? 15 : 2))
      #expect(listener.events.isEmpty)
      gpsd.signal(SIGCONT)
      try await expectLocation(from: gpsd, listener, &index)
      #expect(listener.connections == 0, "the connection was kept")
      // And it can be left while it is stopped, streaming or greeting.
      gpsd.signal(SIGSTOP)
      #expect(stopTime(of: source, listener) < 4)
      let other = makeSource(gpsd)
      let second = Listener(other)
      #expect(await eventually { !second.statuses.isEmpty })
      #expect(second.statuses == [.connecting])
      #expect(stopTime(of: other, second) < 4)
      gpsd.signal(SIGCONT)
    }

    @Test func anEndpointsDeviceIsTheOnlyOne() async throws {
      let gpsd = try RealGPSD()
      let second = try LoopbackSocket.listener()
      let secondDevice = "tcp://127.0.0.1:\(second.port)"
      try gpsd.control("+" + secondDevice)
      let feed = try second.accept()
      let source = makeSource(gpsd, device: secondDevice)
      let listener = Listener(source)
      try #require(await eventually { listener.connections > 0 })
      var index = 0
      let came = await eventually {
        gpsd.feed(NMEA.epoch(index))
        feed.send(NMEA.epoch(index + 1000))
        index += 1
        return listener.locations.count > 3
      }
      try #require(came)
      #expect(Set(listener.locations.map { $0.sourceInformation?.device }) == [secondDevice])
      source.detach(listener)
    }

    @Test func reconnectingLeavesNothingBehind() async {
      // In a process of its own: what other tests hold meanwhile would count.
      await #expect(processExitsWith: .success) { @MainActor in
        let tests = RealGPSDTests()
        let gpsd = try RealGPSD()
        let source = GPSDSource(
          endpoint: GPSDEndpoint(host: "localhost", port: gpsd.port),
          configuration: GPSDConfiguration(minimumRetryDelay: 0.01, maximumRetryDelay: 0.02))
        let listener = Listener(source)
        var index = 0
        var first: ProcessUsage?
        let rounds = runsLongTests ? 220 : 40
        for round in 0..<rounds {
          try #require(await eventually { listener.connections > 0 })
          try await tests.expectLocation(from: gpsd, listener, &index)
          if round == 19 { first = ProcessUsage.now() }
          gpsd.kill()
          listener.clear()
          try gpsd.start()
        }
        try #require(await eventually { listener.connections > 0 })
        try await tests.expectLocation(from: gpsd, listener, &index)
        let before = try #require(first)
        var last = before
        // The system may have threads come and go.
        let isAsBefore = await eventually {
          last = ProcessUsage.now()
          return last.descriptors < before.descriptors + 5 && last.threads < before.threads + 5
        }
        #expect(isAsBefore, "over \(rounds - 20) reconnects: \(before) became \(last)")
        // Memory shows with many reconnects only.
        if runsLongTests { #expect(last.residentKiB - before.residentKiB < 2048) }
        source.detach(listener)
      }
    }

    /// Feeds epochs until one comes out.
    private func expectLocation(
      from gpsd: RealGPSD, _ listener: Listener, _ index: inout Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let before = listener.locations.count
      var next = index
      var fed = 0.0
      defer { index = next }
      let came = await eventually {
        // Ten epochs a second, as a lively receiver.
        if monotonicSeconds() - fed > 0.1 {
          gpsd.feed(NMEA.epoch(next))
          next += 1
          fed = monotonicSeconds()
        }
        return listener.locations.count > before
      }
      try #require(came, sourceLocation: sourceLocation)
    }

    private func expectLocation(from gpsd: RealGPSD, _ listener: Listener) async throws {
      var index = 0
      try await expectLocation(from: gpsd, listener, &index)
    }

    private func stopTime(of source: GPSDSource, _ listener: Listener) -> Double {
      let start = monotonicSeconds()
      source.detach(listener)
      return monotonicSeconds() - start
    }
  }
}
