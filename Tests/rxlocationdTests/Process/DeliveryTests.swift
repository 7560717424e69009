import Foundation
import Glibc
import Testing
import TestSupport

/// Everything that was received is written, or the end says what was not, whatever the readers and the disks do.
@Suite(.startsPrograms) struct DeliveryTests {
  private let folder = TemporaryFolder()

  private static let recording = "Recordings/drive.nmea"

  private func golden(_ name: String) throws -> String { try Checkout.text("Recordings/\(name)") }

  // MARK: A reader that is slow

  @Test(arguments: [
    ([], "drive.ndjson"), (["--format", "none", "--region-log", "-"], "drive.regions.ndjson"),
  ])
  func aReplayWaitsForASlowReader(flags: [String], expected: String) async throws {
    let result = try await readLate(["replay", Self.recording, "--speed", "max"] + flags)
    #expect(result.status == 0)
    #expect(result.output == (try golden(expected)))
  }

  @Test func aDocumentForASlowReaderIsComplete() async throws {
    let result = try await readLate(["replay", Self.recording, "--speed", "max", "--format", "gpx"])
    #expect(result.status == 0)
    #expect(result.output.components(separatedBy: "<trkpt ").count == 705)
    #expect(result.output.hasSuffix("</trkseg></trk></gpx>\n"))
  }

  @Test func aReplayLosesNothingWhenMoreWaitsThanItsBufferHolds() async throws {
    // 6 MiB for a buffer of 4 MiB.
    let recordings = [String](repeating: Self.recording, count: 20)
    let result = try await readLate(["replay", "--speed", "max", "--format", "geojson"] + recordings)
    #expect(result.status == 0)
    #expect(result.output.utf8.count > 5 << 20, "the recording is too short for this test")
    #expect(result.output.utf8.count { $0 == UInt8(ascii: "\n") } >= 20 * 704)
    #expect(!result.messages.contains("dropped"))
  }

  /// What a reader gets that begins when the program can write no more, and how the program ends.
  private func readLate(_ arguments: [String]) async throws -> (status: Int32, output: String, messages: String) {
    let process = try await stuck(arguments)
    let output = readAll(process.output)
    return (try await status(of: process), output, readAll(process.messages))
  }

  private func status(of process: Spawned) async throws -> Int32 {
    var status: Int32 = 0
    let hasEnded = await eventually { waitpid(process.identifier, &status, WNOHANG) == process.identifier }
    if !hasEnded { kill(process.identifier, SIGKILL) }
    try #require(hasEnded)
    return status >> 8
  }

  /// A process whose output nobody reads, and what its pipe holds.
  private func stuck(_ arguments: [String]) async throws -> Spawned {
    let process = try Spawned(DaemonProcess.executable.path, arguments)
    close(process.input)
    // Full: it stays as it is. How many bytes that are depends on the pieces that were written.
    var previous: Int32 = 0
    var unchanged = 0
    #expect(
      await eventually {
        var count: Int32 = 0
        guard ioctl(process.output, UInt(FIONREAD), &count) == 0 else { return false }
        unchanged = count > 16_000 && count == previous && isAsleep(process.identifier) ? unchanged + 1 : 0
        previous = count
        return unchanged > 20
      })
    return process
  }

  /// Whether no thread of a process has anything to do. One that waits for a processor has.
  private func isAsleep(_ process: pid_t) -> Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.allSatisfy { thread in
      let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8)
      return status?.contains(") S ") ?? true
    }
  }

  /// Everything until the end, or until nothing has come for a minute.
  private func readAll(_ descriptor: Int32) -> String {
    var bytes = Data()
    var block = [UInt8](repeating: 0, count: 65_536)
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, 60_000) == 1, case let count = read(descriptor, &block, block.count), count > 0 {
      bytes.append(contentsOf: block[..<count])
    }
    close(descriptor)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One recording waits at its end, many wait in the middle for room.
  @Test(arguments: [(SIGTERM, 1, []), (SIGINT, 40, []), (SIGTERM, 40, ["--format", "none", "--region-log", "-"])])
  func aSignalEndsAReplayWhoseReaderIsStuckAndTheLossIsSaid(number: Int32, count: Int, flags: [String]) async throws {
    let files = [String](repeating: Checkout.file(Self.recording).path, count: count)
    let process = try await stuck(["replay", "--speed", "max"] + flags + files)
    kill(process.identifier, number)
    #expect(try await status(of: process) == 74)
    let written = readAll(process.output).count { $0 == "\n" }
    let messages = readAll(process.messages)
    let loss = try #require(
      messages.firstMatch(of: /standard output: (\d+) of (\d+) records? (?:was|were) not written/))
    #expect(Int(loss.1) == Int(loss.2).map { $0 - written }, "\(messages)")
  }

  // MARK: An output that fails

  @Test(arguments: [
    (["standard output"], "--format gpx >/dev/full"), (["standard output"], "--format csv >/dev/full"),
    (["region log on standard output"], "--format none --region-log - >/dev/full"),
    (["region log /dev/full", "standard output"], "--region-log /dev/full >/dev/full"),
  ])
  func eachOutputOfAReplayThatFailsSaysWhatItLost(names: [String], arguments: String) async throws {
    let result = try await DaemonProcess.bash("$B replay $D --speed max \(arguments)", status: 74)
    let losses = result.messages.matches(
      of: /error: (.*) cannot be written: No space left on device; (\d+) of (\d+) records? (?:was|were) not written/)
    #expect(losses.map { String($0.1) }.sorted() == names, "\(result.messages)")
    // A header fails before there is a record.
    #expect(losses.allSatisfy { $0.2 == $0.3 }, "\(result.messages)")
  }

  @Test func aRecordingOfOneFixFailsTheSame() async throws {
    let text = try golden("drive.nmea")
    let one = try folder.write(
      text.components(separatedBy: "$GNRMC").prefix(2).joined(separator: "$GNRMC"), to: "one.nmea")
    for _ in 0..<4 {
      try await DaemonProcess.bash(
        "$B replay '\(one)' --speed max >/dev/full", status: 74,
        saying: "standard output cannot be written: No space left on device; 1 of 1 record was not written")
    }
  }

  @Test(
    .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
  func aLiveRunGoesOnWithoutItsStandardOutputAndSaysSoAtTheEnd() async throws {
    let gpsd = try RealGPSD()
    let log = folder.path("regions")
    let process = try DaemonProcess(bash: "exec $B run --gpsd 127.0.0.1:\(gpsd.port) --region-log '\(log)' >/dev/full")
    var index = 0
    func regions() -> Int { contents(log).count { $0 == "\n" } }
    func feed(until what: String, _ condition: () -> Bool) async throws {
      try await process.wait(for: what) {
        gpsd.feed(NMEA.epoch(index))
        index += 1
        return condition()
      }
    }
    try await feed(until: "the failure") { process.messages.contains("standard output cannot be written") }
    let before = regions()
    try await feed(until: "more regions") { regions() > before + 5 }
    let result = try await process.terminate(status: 74)
    let loss = try #require(result.messages.firstMatch(of: /device; (\d+) of (\d+) records? (?:was|were) not written/))
    #expect(loss.1 == loss.2)
    // At the beginning and at the end, not once a record.
    #expect(result.messages.components(separatedBy: "cannot be written").count == 3)
  }

  // MARK: Files

  @Test func aLaterOutputThatFailsLeavesNoSocketBehind() async throws {
    let socket = folder.path("socket")
    let taken = try LoopbackSocket.listener()
    for later in [
      "--region-log /nowhere/regions", "--metrics 127.0.0.1:\(taken.port)", "--region-socket unix:/nowhere/socket",
    ] {
      try await DaemonProcess.bash("$B replay $D --region-socket unix:'\(socket)' \(later)", status: 73)
      #expect(!FileManager.default.fileExists(atPath: socket), "\(later)")
    }
  }

  // MARK: Messages

  @Test func aFullStandardErrorHoldsNothingUp() async throws {
    let errors = folder.path("errors")
    mkfifo(errors, 0o600)
    // Opened for both, so that there is a reader who reads nothing; then filled.
    let result = try await DaemonProcess.bash(
      """
      exec 3<>'\(errors)'
      dd if=/dev/zero of='\(errors)' bs=1024 oflag=nonblock 2>/dev/null
      $B replay $D --speed max --log-level debug 2>&3
      """, status: 0)
    #expect(result.output == (try golden("drive.ndjson")))
  }

  @Test func aFullStandardErrorDropsMessagesAndCountsThem() async throws {
    let process = try Spawned(DaemonProcess.executable.path, ["replay", Self.recording, "--speed", "50", "--loop"])
    close(process.input)
    defer {
      kill(process.identifier, SIGKILL)
      waitpid(process.identifier, nil, 0)
      for descriptor in [process.output, process.messages] { close(descriptor) }
    }
    func waiting(in descriptor: Int32) -> Int {
      var count: Int32 = 0
      return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }
    // A pipe of four pages, which some lines about its state fill.
    let setPipeSize: Int32 = 1031
    _ = fcntl(process.messages, setPipeSize, 16_384)
    // Before it listens for the signal, that would end it.
    try #require(await eventually { DaemonProcess.survives(SIGUSR1, process.identifier) })
    var quiet = 0
    var previous = 0
    let isFull = await eventually {
      kill(process.identifier, SIGUSR1)
      let count = waiting(in: process.messages)
      quiet = count > 12_000 && count == previous ? quiet + 1 : 0
      previous = count
      return quiet > 20
    }
    #expect(isFull)
    // Locations go on.
    for descriptor in [process.output, process.messages] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    var block = [UInt8](repeating: 0, count: 65_536)
    _ = read(process.output, &block, block.count)
    #expect(await eventually { waiting(in: process.output) > 3000 })

    var messages = ""
    let isCounted = await eventually {
      kill(process.identifier, SIGUSR1)
      let count = read(process.messages, &block, block.count)
      messages += String(decoding: block[..<max(0, count)], as: UTF8.self)
      return messages.contains("dropped, because standard error took no more\n")
    }
    #expect(isCounted, "\(messages.suffix(300))")
  }

  @Test func messagesForTheJournalHaveAPriority() async throws {
    let errors = try folder.write("", to: "errors")
    let result = try await DaemonProcess.bash(
      "JOURNAL_STREAM=$(stat -c %d:%i '\(errors)') $B replay $D --speed max 2>'\(errors)'; cat '\(errors)' >&2")
    #expect(result.messages.contains("\n<6>704 locations"))
    // That of a program that has started this one with a standard error of its own.
    let another = try await DaemonProcess.bash("JOURNAL_STREAM=1:1 $B replay $D --speed max")
    #expect(another.messages.contains("\nrxlocationd: 704 locations"))
  }

  // MARK: Fences

  @Test func aFenceRecordSaysWhetherItWasEnteredOrLeftAndWhere() async throws {
    let (latitude, longitude, radius) = (37.774773, -122.398078, 300.0)
    let result = try await DaemonProcess.bash(
      "$B replay $D --speed max --fence a=\(latitude),\(longitude),\(radius)", status: 0)
    var previous: [String: Any] = [:]
    var events: [String] = []
    for line in result.lines {
      let record = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      guard record["type"] as? String == "fence" else {
        previous = record
        continue
      }
      let event = try #require(record["event"] as? String)
      events.append(event)
      // The crossing carries the time and the place of the fix that showed it, which is the record before.
      for member in ["latitude", "longitude"] {
        #expect(record[member] as? Double == previous[member] as? Double)
      }
      #expect(record["time"] as? String == previous["time"] as? String)
      let north = ((record["latitude"] as? Double ?? .nan) - latitude) * 111_000
      let east = ((record["longitude"] as? Double ?? .nan) - longitude) * 111_320 * cos(latitude * .pi / 180)
      let distance = (north * north + east * east).squareRoot()
      #expect(event == "enter" ? distance < radius + 1 : distance > radius - 1)
    }
    #expect(events.contains("enter") && events.contains("exit"))
    #expect(zip(events, events.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test func aFenceThatTheReceiverCannotResolveIsReportedOnce() async throws {
    let result = try await DaemonProcess.bash(
      "$B replay $D --speed max --fence tiny=37.774773,-122.398078,5", status: 0)
    #expect(result.lines.count { $0.contains(#""code":"regionMonitoringFailure""#) } == 1)
    #expect(
      result.messages.components(separatedBy: "warning: region tiny with its radius of 5.0 m needs").count == 2,
      "\(result.messages)")
  }
}
