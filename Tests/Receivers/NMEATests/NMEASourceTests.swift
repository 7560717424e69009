import Foundation
import LocationKit
import NMEA
import Replay
import SystemPackage
import Testing
import TestSupport

@MainActor
@Suite(.serialized) struct NMEASourceTests {
  @Test func playsARecordingToItsEnd() async throws {
    let source = source(String(decoding: syntheticDrive(cycles: 500), as: UTF8.self))
    let recorder = SourceRecorder(source)
    #expect(source.status == .idle)
    source.attach(recorder)
    #expect(await eventually { recorder.isFinished })
    #expect(recorder.locationCount == 500)
    #expect(recorder.times == (0..<500).map(Double.init))
    #expect(recorder.events.first == .status(.connected(devices: ["test.nmea"])))
    #expect(recorder.events.suffix(2) == [.status(.finished), .finished])
    #expect(source.status == .finished)
    #expect(source.statistics.locations == 500)
    #expect(source.statistics.sentences == 5000)
    #expect(source.failure == nil)
    let fix = recorder.events.compactMap { if case .location(let fix) = $0 { fix } else { nil } }.first
    let information = LocationSourceInformation(device: "test.nmea", isSimulatedBySoftware: true)
    #expect(fix?.sourceInformation == information)
  }

  @Test func timersFireInTheGapsAtEverySpeed() async {
    for speed in [ReplaySpeed.max, .factor(100)] {
      let source = source(cycle("120000") + cycle("120001") + cycle("120030") + cycle("120031"), speed: speed)
      let recorder = SourceRecorder(source)
      var timer: LocationTimer?
      var log: [String] = []
      recorder.onLocation = { _ in
        log.append("fix \(source.clock.now)")
        timer?.cancel()
        timer = source.clock.schedule(after: 10) { log.append("stale \(source.clock.now)") }
      }
      source.attach(recorder)
      #expect(await eventually { recorder.isFinished })
      #expect(log == ["fix 0.0", "fix 1.0", "stale 11.0", "fix 30.0", "fix 31.0"], "\(speed)")
      timer?.cancel()
    }
  }

  @Test func jumpsDoNotMoveTheClock() async {
    let source = source(
      cycle("120000") + cycle("120001") + cycle("110000") + cycle("110001") + cycle("150000", date: "240324")
        + cycle("150001", date: "240324"), speed: .factor(50))
    let recorder = await played(source)
    #expect(recorder.times == [0, 1, 2, 3, 4, 5])
  }

  @Test func keepsTheRecordedPace() async throws {
    let source = source((0..<6).map { cycle("12000\($0)") }.joined(), speed: .factor(20))
    let recorder = SourceRecorder(source)
    let start = ProcessInfo.processInfo.systemUptime
    source.attach(recorder)
    #expect(await eventually { recorder.isFinished })
    #expect(recorder.locationCount == 6)
    for (index, time) in recorder.wallTimes.enumerated() {
      // Never early; how late depends on the machine.
      #expect(time - start > Double(index) * 0.05 - 0.005)
    }
  }

  @Test func inputsFollowEachOther() async {
    let inputs = ["a", "b"].map { ReplayInput(name: $0, bytes: Array((cycle("120000") + cycle("120001")).utf8)) }
    let source = NMEASource(inputs, speed: .max)
    let recorder = SourceRecorder(source)
    var devices: [String?] = []
    recorder.onLocation = { devices.append($0.sourceInformation?.device) }
    source.attach(recorder)
    #expect(await eventually { recorder.isFinished })
    #expect(devices == ["a", "a", "b", "b"])
    #expect(recorder.times == [0, 1, 2, 3])
    #expect(source.statistics.sentences == 4)
  }

  @Test func loopsUntilDetached() async {
    let source = source(cycle("120000") + cycle("120001"), loop: true)
    let recorder = await played(source) { $0.locationCount > 100 }
    source.detach(recorder)
    #expect(source.status == .idle)
    let count = recorder.locationCount
    let second = await played(source) { $0.locationCount > 100 }
    source.detach(second)
    #expect(recorder.locationCount == count)
    #expect(!recorder.isFinished)
  }

  /// A recording of one fix has no step of its own: a turn of it lasts a second of the recording.
  @Test(arguments: [cycle("120000"), cycle("120000") + cycle("120000")])
  func aTurnOfOneFixLastsASecond(_ text: String) async {
    let source = source(text, speed: .factor(50), loop: true)
    let recorder = SourceRecorder(source)
    let start = ProcessInfo.processInfo.systemUptime
    source.attach(recorder)
    #expect(await eventually { recorder.locationCount >= 5 })
    source.detach(recorder)
    #expect(Array(recorder.times.prefix(5)) == [0, 1, 2, 3, 4])
    #expect(recorder.wallTimes[4] - start > 4 * 0.02 - 0.005)
  }

  @Test func aTurnLastsAtLeastTheRecordingsOwnStep() async {
    let source = source(cycle("120000.00") + cycle("120000.20"), speed: .factor(20), loop: true)
    let recorder = await played(source) { $0.locationCount >= 5 }
    source.detach(recorder)
    for (index, time) in recorder.times.enumerated() { #expect(abs(time - Double(index) * 0.2) < 1e-3) }
  }

  @Test func aTurnWithoutAnyTimeLastsASecond() async {
    let source = source(line("HEHDT,341.8,T"), speed: .factor(50), loop: true)
    let recorder = await played(source) { $0.headingTimes.count >= 4 }
    source.detach(recorder)
    #expect(Array(recorder.headingTimes.prefix(4)) == [0, 1, 2, 3])
  }

  /// What is counted is what has been played, not what has been read.
  @Test func countsWhilePlaying() async {
    let bad = "$GPRMC,1*00\r\n"
    let source = source(
      cycle("120000") + bad + cycle("120001") + line("GPXTE,A,A,0.67,L,N") + cycle("123000") + bad + bad,
      speed: .factor(1000))
    let recorder = SourceRecorder(source)
    #expect(source.skippedLines == ["checksum": 0, "malformed": 0, "unsupported": 0, "out_of_range": 0])
    var atSecond: [String: Int] = [:]
    recorder.onLocation = { _ in if recorder.locationCount == 2 { atSecond = source.skippedLines } }
    source.attach(recorder)
    #expect(await eventually { recorder.isFinished })
    #expect(atSecond["checksum"] == 1)
    #expect(source.skippedLines == ["checksum": 3, "malformed": 0, "unsupported": 1, "out_of_range": 0])
  }

  /// A fix that waits for its time when the replay is stopped is not among those that were delivered.
  @Test func countsTheLocationsThatWereDelivered() async throws {
    let source = source(cycle("120000") + cycle("120001") + cycle("120100") + cycle("120101"), speed: .factor(1))
    let recorder = SourceRecorder(source)
    source.attach(recorder)
    // The third is decoded, and it waits for a minute.
    try #require(await eventually { source.statistics.sentences >= 3 && recorder.locationCount == 2 })
    #expect(source.statistics.locations == 2)
    source.detach(recorder)
    #expect(source.statistics.locations == 2)
  }

  @Test func filesAreOpenedOneAfterTheOther() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("nmea-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let paths = ["a.nmea", "b.nmea"].map { directory.appendingPathComponent($0).path }
    for path in paths { try Data((cycle("120000") + cycle("120001")).utf8).write(to: URL(fileURLWithPath: path)) }
    let source = NMEASource(
      try NMEASource.open((paths + paths).map { FilePath($0) }, loop: true), speed: .max, loop: true)
    let recorder = SourceRecorder(source)
    var devices: [String] = []
    recorder.onLocation = { devices.append($0.sourceInformation?.device ?? "") }
    source.attach(recorder)
    #expect(await eventually { recorder.locationCount >= 10 })
    #expect(devices.prefix(10).joined() == "a.nmeaa.nmeab.nmeab.nmeaa.nmeaa.nmeab.nmeab.nmeaa.nmeaa.nmea")
    // One that has gone since is named when its turn comes.
    try FileManager.default.removeItem(atPath: paths[1])
    #expect(await eventually { recorder.isFinished })
    #expect(source.failure == ReplayError(input: paths[1], reason: .notFound))
  }

  @Test func nothingToRepeatIsNotRepeated() async {
    let source = source(line("GPTXT,01,01,02,hello"), loop: true)
    _ = await played(source)
    #expect(source.failure == nil)
  }

  @Test func stopsAtOnceAndStartsAgain() async {
    let source = source(cycle("120000") + cycle("120001") + cycle("123000"), speed: .factor(1000))
    let recorder = await played(source) { $0.locationCount == 2 }
    source.detach(recorder)
    let second = await played(source)
    #expect(second.locationCount == 3)
    #expect(recorder.locationCount == 2)
  }

  @Test func aReceiverThatWentWithoutAWord() async {
    // Without an end, so that the receiver goes before it on a busy machine as well.
    let source = source(
      (0..<60).map { cycle(String(format: "1200%02d", $0)) }.joined(), speed: .factor(100), loop: true)
    var first: SourceRecorder? = SourceRecorder(source)
    if let first { source.attach(first) }
    #expect(await eventually { (first?.locationCount ?? 0) > 2 })
    first = nil
    #expect(await eventually { source.status == .idle })
    // It begins anew.
    let second = await played(source) { $0.locationCount >= 60 }
    let times = second.events.compactMap { if case .location(let location) = $0 { location.timestamp } else { nil } }
    #expect(times.prefix(60).map { Int($0.timeIntervalSince1970) % 60 } == Array(0..<60))
    source.detach(second)
  }

  @Test func aReceiverThatWentLeavesNoRunBehind() async {
    let source = source(cycle("120000") + cycle("120001"), speed: .factor(100), loop: true)
    var first: SourceRecorder? = SourceRecorder(source)
    if let first { source.attach(first) }
    #expect(await eventually { (first?.locationCount ?? 0) > 2 })
    first = nil
    let second = await played(source) { $0.locationCount > 2 }
    source.detach(second)
  }

  @Test func detachingWhileBeingCalled() async {
    let source = source(String(decoding: syntheticDrive(cycles: 300), as: UTF8.self))
    let recorder = SourceRecorder(source)
    recorder.onLocation = { [weak recorder] _ in
      if let recorder, recorder.locationCount == 10 { source.detach(recorder) }
    }
    source.attach(recorder)
    #expect(await eventually { recorder.locationCount == 10 })
    #expect(source.clock.now == 9)
    _ = await played(source)
    #expect(recorder.locationCount == 10)
  }

  /// What a timer starts in the gap before an event gets that event from its own run, and not from the one before.
  @Test func restartingFromATimer() async {
    let source = source(cycle("120000") + cycle("120001") + cycle("120030"))
    let first = SourceRecorder(source)
    let second = SourceRecorder(source)
    var timer: LocationTimer?
    first.onLocation = { _ in
      guard timer == nil else { return }
      timer = source.clock.schedule(after: 10) {
        source.detach(first)
        source.attach(second)
      }
    }
    source.attach(first)
    #expect(await eventually { second.isFinished })
    #expect(first.locationCount == 2)
    #expect(second.locationCount == 3)
  }

  @Test func everyRunCountsFromZero() async throws {
    let pipe = Pipe()
    let source = NMEASource(
      [try ReplayInput.open(descriptor: dup(pipe.fileHandleForReading.fileDescriptor), name: "live")])
    let first = SourceRecorder(source)
    source.attach(first)
    pipe.fileHandleForWriting.write(Data((cycle("120000") + "$GPRMC,1*00\r\n").utf8))
    #expect(await eventually { source.statistics.checksum == 1 })
    source.detach(first)
    let second = SourceRecorder(source)
    source.attach(second)
    #expect(source.statistics == NMEAStatistics())
    source.detach(second)
  }

  /// A file that somebody has read from is played from where they stopped, every time.
  @Test func aDescriptorIsPlayedFromItsPosition() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("nmea-\(UUID().uuidString)")
    // More than is read at once.
    try Data(syntheticDrive(cycles: 500)).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
    try file.seek(offset: Int64(syntheticDrive(cycles: 100).count), from: .start)
    let source = NMEASource([try ReplayInput.open(descriptor: file.rawValue, name: "drive")], speed: .max)
    for run in 1...2 {
      let recorder = SourceRecorder(source)
      source.attach(recorder)
      #expect(await eventually { recorder.isFinished })
      #expect(recorder.locationCount == 400)
      // The clock goes on where the run before left it.
      #expect(recorder.times.last == Double(run) * 399)
      source.detach(recorder)
    }
  }

  @Test func aSilentStreamIsFollowedByTheHostsClock() async throws {
    let pipe = Pipe()
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    let source = NMEASource([try ReplayInput.open(descriptor: descriptor, name: "live")], speed: .factor(1))
    let recorder = SourceRecorder(source)
    var isStale = false
    source.attach(recorder)
    pipe.fileHandleForWriting.write(Data((cycle("120000") + cycle("120001") + cycle("120002")).utf8))
    // The end of an epoch is known from the second on: all three are out before the stream goes on.
    #expect(await eventually { recorder.locationCount == 3 })
    let timer = source.clock.schedule(after: 0.3) { isStale = true }
    #expect(await eventually { isStale })
    pipe.fileHandleForWriting.write(Data(cycle("120003").utf8))
    #expect(await eventually { recorder.locationCount == 4 })
    try pipe.fileHandleForWriting.close()
    #expect(await eventually { recorder.isFinished })
    #expect(source.failure == nil)
    timer.cancel()
  }

  /// A receiver's clock that is set is no silence: its fixes came at once.
  @Test func aJumpOfALiveReceiversClockIsNoSilence() async throws {
    let pipe = Pipe()
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    let source = NMEASource([try ReplayInput.open(descriptor: descriptor, name: "live")], speed: .factor(1))
    let recorder = SourceRecorder(source)
    source.attach(recorder)
    pipe.fileHandleForWriting.write(Data((cycle("120000") + cycle("120001")).utf8))
    #expect(await eventually { recorder.locationCount == 2 })
    var isStale = false
    let timer = source.clock.schedule(after: 40) { isStale = true }
    pipe.fileHandleForWriting.write(Data(cycle("120059").utf8))
    #expect(await eventually { recorder.locationCount == 3 })
    pipe.fileHandleForWriting.write(Data(cycle("120100").utf8))
    #expect(await eventually { recorder.locationCount == 4 })
    #expect(!isStale)
    try pipe.fileHandleForWriting.close()
    #expect(await eventually { recorder.isFinished })
    timer.cancel()
  }

  /// The reading thread waits for input, and misses that satellites are not wanted for a moment.
  @Test func satellitesThatAreWantedAnewAreSentAgain() async throws {
    let pipe = Pipe()
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    let source = NMEASource([try ReplayInput.open(descriptor: descriptor, name: "live")], speed: .max)
    let recorder = SourceRecorder(source)
    source.attach(recorder)
    func lists() -> Int { recorder.events.count { if case .satellites = $0 { true } else { false } } }
    pipe.fileHandleForWriting.write(Data((NMEA.epoch(0) + NMEA.epoch(1)).utf8))
    #expect(await eventually { lists() == 1 })
    for interests in [LocationSourceInterests.locations, .all] {
      recorder.interests = interests
      source.attach(recorder)
    }
    pipe.fileHandleForWriting.write(Data((NMEA.epoch(2) + NMEA.epoch(3)).utf8))
    #expect(await eventually { lists() == 2 })
    source.detach(recorder)
  }

  @Test func aStoppedStreamEndsItsThread() async throws {
    let pipe = Pipe()
    let source = NMEASource(
      [try ReplayInput.open(descriptor: dup(pipe.fileHandleForReading.fileDescriptor), name: "live")])
    let first = SourceRecorder(source)
    source.attach(first)
    source.detach(first)
    let second = SourceRecorder(source)
    source.attach(second)
    pipe.fileHandleForWriting.write(Data((cycle("120000") + cycle("120001")).utf8))
    #expect(await eventually { second.locationCount == 2 })
    #expect(first.locationCount == 0)
    source.detach(second)
  }
}
