import Foundation
import Platform
import Testing
import TestSupport

@testable import Serving

/// The load that the region socket is made for. In a process of its own, for it needs some 2000 descriptors.
///
/// `REGION_LOAD_SECONDS` runs it at 10 updates a second for so long, instead of 50 a second for two, and prints what it
/// cost.
@Suite(.inTurn) struct RegionSocketLoadTests {
  @Test func aThousandReadersLoseNothingWhileOneTakesNothing() async {
    await #expect(processExitsWith: .success) {
      DescriptorLimit.raise()
      guard DescriptorLimit.current > 2500 else { return }
      let seconds = ProcessInfo.processInfo.environment["REGION_LOAD_SECONDS"].flatMap(Int.init)
      let rate = seconds == nil ? 50 : 10
      let fixture = try await SocketFixture { $0.broadcast.byteLimit = 64 << 10 }
      let crowd = try ReaderCrowd(999, path: fixture.path)
      let stalled = try Client.unix(fixture.path)
      guard await fixture.readers(1000) else { fatalError("not all are accepted") }

      let filler = String(repeating: "x", count: 150)
      var lowest = Int.max
      var highest = 0
      let cpuBefore = clock()
      let start = Date.now
      let updates = rate * (seconds ?? 2)
      for number in 0..<updates {
        let line = "{\"number\":\(number),\"filler\":\"\(filler)\"}"
        crowd.expect(line + "\n")
        fixture.publish(line)
        let due = start.addingTimeInterval(Double(number + 1) / Double(rate))
        try await Task.sleep(for: .seconds(max(due.timeIntervalSinceNow, 0)))
        // After a warm-up.
        if number >= updates / 4 {
          lowest = min(lowest, ProcessUsage().residentKiB)
          highest = max(highest, ProcessUsage().residentKiB)
        }
      }
      let isComplete = await eventually { crowd.complete == 999 }
      let cpu = Double(clock() - cpuBefore) / Double(CLOCKS_PER_SEC)
      let statistics = fixture.socket.statistics
      if seconds != nil {
        let report = "\(statistics) cpu \(cpu) s of both sides, resident \(lowest) … \(highest) kB\n"
        try report.write(toFile: "/tmp/region-load.txt", atomically: true, encoding: .utf8)
      }
      guard isComplete, highest - lowest < 8 << 10 else {
        fatalError("\(crowd.complete) of 999 complete, resident \(lowest) … \(highest) kB")
      }

      // The end, with all of them attached and one that takes nothing, which is not waited for: that would take 30 s.
      let end = Date.now
      await fixture.close()
      let took = Date.now.timeIntervalSince(end)
      let haveEnded = await eventually { crowd.ended == 999 }
      guard haveEnded, took < 25, await stalled.line() != nil else { fatalError("\(crowd.ended) ended, \(took) s") }
    }
  }

  @Test func connectingAndLeavingThousandsOfTimesLeavesNothing() async {
    await #expect(processExitsWith: .success) {
      let fixture = try await SocketFixture()
      try await fixture.socket.listen(on: .tcp(Endpoint(port: 0)))
      guard let port = fixture.socket.ports.first else { fatalError("no port") }
      func round(_ count: Int) async throws {
        for number in 0..<count {
          do {
            let client = number % 2 == 0 ? try Client.unix(fixture.path) : try Client.tcp(port)
            if number % 3 == 0 { client.send("hello") }
            if number % 5 == 0 { client.endSending() }
            if number % 7 == 0 {
              var reset = linger(l_onoff: 1, l_linger: 0)
              setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
            }
          }
          // As fast as they are accepted.
          if number % 200 == 199 {
            let haveLeft = await eventually {
              fixture.publish("x")
              return fixture.socket.statistics.readers == 0
            }
            guard haveLeft else { fatalError("readers that left are still there") }
          }
        }
      }
      try await round(1000)
      let before = ProcessUsage()
      try await round(4000)
      // The last ones may not have been accepted yet.
      let isClosed = await eventually {
        fixture.publish("z")
        return ProcessUsage().descriptors <= before.descriptors + 4
      }
      let after = ProcessUsage()
      guard isClosed, after.residentKiB < before.residentKiB + 4096 else { fatalError("\(before) … \(after)") }
      await fixture.close()
    }
  }
}
