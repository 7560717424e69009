import Foundation
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

/// Tests that ask how soon something happens run one after the other, after most others.
@Suite(.startsProgramsForLong) enum GPSDTests {}

extension GPSDTests {
  /// A real gpsd that goes, comes, and is silent.
  @MainActor @Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "gpsd is not installed"))
  struct RealGPSDTests {
    /// A gpsd, a listener that follows it, and the epochs that the receiver of that gpsd sends.
    @MainActor private final class Reception {
      let gpsd: RealGPSD
      let listener: Listener
      var index = 0

      init(
        _ gpsd: RealGPSD, host: String = "localhost", device: String? = nil,
        _ configuration: GPSDConfiguration = GPSDConfiguration()
      ) {
        self.gpsd = gpsd
        listener = Listener(
          GPSDSource(endpoint: GPSDEndpoint(host: host, port: gpsd.port, device: device), configuration: configuration))
      }

      func feed() {
        gpsd.feed(NMEA.epoch(index))
        index += 1
      }

      func expectConnection(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try #require(await eventually { listener.connections > 0 }, sourceLocation: sourceLocation)
      }

      /// Feeds epochs until one comes out.
      func expectLocation(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let before = listener.locations.count
        var fed = 0.0
        let came = await eventually {
          // Ten epochs a second, as a lively receiver.
          if monotonicSeconds() - fed > 0.1 {
            feed()
            fed = monotonicSeconds()
          }
          return listener.locations.count > before
        }
        try #require(came, sourceLocation: sourceLocation)
      }
    }

    /// The reception of a new gpsd that is connected and has delivered a location.
    private func start(
      hasDevice: Bool = false, host: String = "localhost", _ configuration: GPSDConfiguration = GPSDConfiguration()
    ) async throws -> Reception {
      let gpsd = try RealGPSD()
      let reception = Reception(gpsd, host: host, device: hasDevice ? gpsd.device : nil, configuration)
      try await reception.expectConnection()
      try await reception.expectLocation()
      return reception
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1"]) func connectsByNameAndAddress(host: String) async throws {
      _ = try await start(host: host)
    }

    @Test func waitsForGPSD() async throws {
      let gpsd = try RealGPSD()
      gpsd.kill()
      let reception = Reception(gpsd, GPSDConfiguration(minimumRetryDelay: 0.02))
      let listener = reception.listener
      try #require(await eventually { !listener.failures.isEmpty })
      #expect(listener.failures.map(\.code) == [.network])
      #expect(listener.notableLog.count == 1)
      // The next one may have begun already.
      let attempts = listener.events.prefix { if case .failed = $0 { false } else { true } }
      #expect(attempts.count { $0 == .status(.connecting) } == 6)
      try gpsd.start()
      try await reception.expectConnection()
      try await reception.expectLocation()
    }

    @Test func aDeviceMayBeRemovedAndAdded() async throws {
      let reception = try await start(hasDevice: true)
      let (gpsd, listener) = (reception.gpsd, reception.listener)
      let device = try #require(gpsd.device)
      for _ in 0..<3 {
        listener.clear()
        #expect(try gpsd.control("-" + device))
        try #require(await eventually { listener.statuses.last == .connected(devices: []) })
        #expect(try gpsd.control("+" + device))
        try gpsd.acceptFeed()
        try await reception.expectLocation()
      }
      #expect(listener.connections > 0 && listener.failures.isEmpty)
    }

    /// In a process of its own, where no other thread can be taken for the source's.
    @Test func silenceIsNoLossAndNoWork() async throws {
      await #expect(processExitsWith: .success) { try await GPSDTests.RealGPSDTests().beSilent() }
    }

    private func beSilent() async throws {
      let reception = try await start()
      let listener = reception.listener
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
      try await reception.expectLocation()
      try #require(listener.connections == 0, "the connection was kept")
    }

    @Test func aStoppedGPSDMayGoOn() async throws {
      let reception = try await start()
      let (gpsd, listener) = (reception.gpsd, reception.listener)
      gpsd.signal(SIGSTOP)
      // What it had sent before may still be on its way.
      let isQuiet = await eventually {
        listener.clear()
        try? await Task.sleep(for: .milliseconds(200))
        return listener.events.isEmpty
      }
      #expect(isQuiet)
      for _ in 0..<5 { reception.feed() }
      // Long enough for a reader that gives up a silent connection to show itself.
      try await Task.sleep(for: .seconds(runsLongTests ? 15 : 2))
      #expect(listener.events.isEmpty)
      gpsd.signal(SIGCONT)
      try await reception.expectLocation()
      #expect(listener.connections == 0, "the connection was kept")
      // And it can be left while it is stopped, streaming or greeting.
      gpsd.signal(SIGSTOP)
      #expect(listener.stop() < 4)
      let second = Reception(gpsd).listener
      #expect(await eventually { !second.statuses.isEmpty })
      #expect(second.statuses == [.connecting])
      #expect(second.stop() < 4)
      gpsd.signal(SIGCONT)
    }

    @Test func anEndpointsDeviceIsTheOnlyOne() async throws {
      let gpsd = try RealGPSD()
      let second = try LoopbackSocket.listener()
      let secondDevice = "tcp://127.0.0.1:\(second.port)"
      try gpsd.control("+" + secondDevice)
      let feed = try second.accept()
      let reception = Reception(gpsd, device: secondDevice)
      try await reception.expectConnection()
      let came = await eventually {
        feed.send(NMEA.epoch(reception.index + 1000))
        reception.feed()
        return reception.listener.locations.count > 3
      }
      try #require(came)
      #expect(Set(reception.listener.locations.map { $0.sourceInformation?.device }) == [secondDevice])
    }

    @Test func reconnectingLeavesNothingBehind() async {
      // In a process of its own: what other tests hold meanwhile would count.
      await #expect(processExitsWith: .success) { @MainActor in
        let reception = try await RealGPSDTests().start(
          GPSDConfiguration(minimumRetryDelay: 0.01, maximumRetryDelay: 0.02))
        var first: ProcessUsage?
        let rounds = runsLongTests ? 220 : 40
        for round in 0..<rounds {
          if round == 19 { first = ProcessUsage() }
          // In mid-stream, sometimes in the middle of a sentence.
          reception.gpsd.feed(String(NMEA.epoch(reception.index).dropLast(round * 7 % 200)))
          reception.gpsd.kill()
          reception.listener.clear()
          try reception.gpsd.start()
          try await reception.expectConnection()
          try await reception.expectLocation()
        }
        let before = try #require(first)
        var last = before
        // The system may have threads come and go.
        let isAsBefore = await eventually {
          last = ProcessUsage()
          return last.descriptors < before.descriptors + 5 && last.threads < before.threads + 5
        }
        #expect(isAsBefore, "over \(rounds - 20) reconnects: \(before) became \(last)")
        // Memory shows with many reconnects only.
        if runsLongTests { #expect(last.residentKiB - before.residentKiB < 2048) }
      }
    }
  }
}
