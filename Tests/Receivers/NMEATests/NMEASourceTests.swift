import Foundation
import LocationKit
import NMEA
import Replay
import SystemPackage
import Testing
import TestSupport

@MainActor @Suite(.inTurn) struct NMEASourceTests {
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
    let information = LocationSourceInformation(device: "test.nmea", isSimulatedBySoftware: true)
    #expect(recorder.locations.first?.sourceInformation == information)
  }

  @Test func timersFireInTheGapsAtEverySpeed() async {
    for speed in [ReplaySpeed.max, .factor(100)] {
      let source = source(rmc("120000") + rmc("120001") + rmc("120030") + rmc("120031"), speed: speed)
      var timer: LocationTimer?
      var log: [String] = []
      let play = { (_: Location) in
        log.append("fix \(source.clock.now)")
        timer?.cancel()
        timer = source.clock.schedule(after: 10) { log.append("stale \(source.clock.now)") }
      }
      _ = await played(source, onLocation: play)
      #expect(log == ["fix 0.0", "fix 1.0", "stale 11.0", "fix 30.0", "fix 31.0"], "\(speed)")
      timer?.cancel()
    }
  }

  @Test func keepsTheRecordedPace() async throws {
    let start = ProcessInfo.processInfo.systemUptime
    let recorder = await played(source((0..<6).map { rmc("12000\($0)") }.joined(), speed: .factor(20)))
    #expect(recorder.locationCount == 6)
    for (index, time) in recorder.wallTimes.enumerated() {
      // Never early; how late depends on the machine.
      #expect(time - start > Double(index) * 0.05 - 0.005)
    }
  }

  @Test func inputsFollowEachOther() async {
    let inputs = ["a", "b"].map { ReplayInput(name: $0, bytes: Array((rmc("120000") + rmc("120001")).utf8)) }
    let source = NMEASource(inputs, speed: .max)
    let recorder = await played(source)
    #expect(recorder.locations.map { $0.sourceInformation?.device } == ["a", "a", "b", "b"])
    #expect(recorder.times == [0, 1, 2, 3])
    #expect(source.statistics.sentences == 4)
  }

  @Test func loopsUntilDetached() async {
    let source = source(rmc("120000") + rmc("120001"), loop: true)
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
  @Test(arguments: [rmc("120000"), rmc("120000") + rmc("120000")])
  func aTurnOfOneFixLastsASecond(_ text: String) async {
    let source = source(text, speed: .factor(50), loop: true)
    let start = ProcessInfo.processInfo.systemUptime
    let recorder = await played(source) { $0.locationCount >= 5 }
    source.detach(recorder)
    #expect(Array(recorder.times.prefix(5)) == [0, 1, 2, 3, 4])
    #expect(recorder.wallTimes[4] - start > 4 * 0.02 - 0.005)
  }

  @Test func aTurnLastsAtLeastTheRecordingsOwnStep() async {
    let source = source(rmc("120000.00") + rmc("120000.20"), speed: .factor(20), loop: true)
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
      rmc("120000") + bad + rmc("120001") + line("GPXTE,A,A,0.67,L,N") + rmc("123000") + bad + bad,
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
    let source = source(rmc("120000") + rmc("120001") + rmc("120100") + rmc("120101"), speed: .factor(1))
    // The third is decoded, and it waits for a minute.
    let recorder = await played(source) { source.statistics.sentences >= 3 && $0.locationCount == 2 }
    #expect(source.statistics.locations == 2)
    source.detach(recorder)
    #expect(source.statistics.locations == 2)
  }

  @Test func filesAreOpenedOneAfterTheOther() async throws {
    let folder = TemporaryFolder()
    let paths = try ["a.nmea", "b.nmea"].map { try folder.write(rmc("120000") + rmc("120001"), to: $0) }
    let source = NMEASource(
      try NMEASource.open((paths + paths).map { FilePath($0) }, loop: true), speed: .max, loop: true)
    let recorder = await played(source) { $0.locationCount >= 10 }
    let devices = recorder.locations.prefix(10).map { $0.sourceInformation?.device?.prefix(1) ?? "" }
    #expect(devices.joined() == "aabbaabbaa")
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
    let source = source(rmc("120000") + rmc("120001") + rmc("123000"), speed: .factor(1000))
    let recorder = await played(source) { $0.locationCount == 2 }
    source.detach(recorder)
    let second = await played(source)
    #expect(second.locationCount == 3)
    #expect(recorder.locationCount == 2)
  }

  /// The source begins anew, whether it has noticed before that the first receiver is gone or not.
  @Test(arguments: [true, false]) func aReceiverThatWentWithoutAWord(isNoticed: Bool) async {
    // Without an end, so that the receiver goes before it on a busy machine as well.
    let source = source((0..<60).map { rmc(String(format: "1200%02d", $0)) }.joined(), speed: .factor(100), loop: true)
    var first: SourceRecorder? = SourceRecorder(source)
    if let first { source.attach(first) }
    #expect(await eventually { (first?.locationCount ?? 0) > 2 })
    first = nil
    if isNoticed { #expect(await eventually { source.status == .idle }) }
    let second = await played(source) { $0.locationCount >= 60 }
    let times = second.locations.compactMap(\.timestamp)
    if isNoticed { #expect(times.prefix(60).map { Int($0.timeIntervalSince1970) % 60 } == Array(0..<60)) }
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
    let source = source(rmc("120000") + rmc("120001") + rmc("120030"))
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
    let live = try LiveSource()
    live.write(rmc("120000") + "$GPRMC,1*00\r\n")
    #expect(await eventually { live.source.statistics.checksum == 1 })
    live.source.detach(live.recorder)
    let second = SourceRecorder(live.source)
    live.source.attach(second)
    #expect(live.source.statistics == NMEAStatistics())
    live.source.detach(second)
  }

  /// A file that somebody has read from is played from where they stopped, every time.
  @Test func aDescriptorIsPlayedFromItsPosition() async throws {
    let folder = TemporaryFolder()
    // More than is read at once.
    let path = try folder.write(String(decoding: syntheticDrive(cycles: 500), as: UTF8.self), to: "drive.nmea")
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    try file.seek(offset: Int64(syntheticDrive(cycles: 100).count), from: .start)
    let source = NMEASource([try ReplayInput.open(descriptor: file.rawValue, name: "drive")], speed: .max)
    for run in 1...2 {
      let recorder = await played(source)
      #expect(recorder.locationCount == 400)
      // The clock goes on where the run before left it.
      #expect(recorder.times.last == Double(run) * 399)
      source.detach(recorder)
    }
  }

  @Test func aSilentStreamIsFollowedByTheHostsClock() async throws {
    let live = try LiveSource()
    var isStale = false
    // The end of an epoch is known from the second on: all three are out before the stream goes on.
    try await live.write(rmc("120000") + rmc("120001") + rmc("120002"), until: 3)
    let timer = live.source.clock.schedule(after: 0.3) { isStale = true }
    #expect(await eventually { isStale })
    try await live.write(rmc("120003"), until: 4)
    try await live.close()
    #expect(live.source.failure == nil)
    timer.cancel()
  }

  /// A receiver's clock that is set is no silence: its fixes came at once.
  @Test func aJumpOfALiveReceiversClockIsNoSilence() async throws {
    let live = try LiveSource()
    try await live.write(rmc("120000") + rmc("120001"), until: 2)
    var isStale = false
    let timer = live.source.clock.schedule(after: 40) { isStale = true }
    try await live.write(rmc("120059"), until: 3)
    try await live.write(rmc("120100"), until: 4)
    #expect(!isStale)
    try await live.close()
    timer.cancel()
  }

  /// The reading thread waits for input, and misses that satellites are not wanted for a moment.
  @Test func satellitesThatAreWantedAnewAreSentAgain() async throws {
    let live = try LiveSource(speed: .max)
    func lists() -> Int { live.recorder.events.count { if case .satellites = $0 { true } else { false } } }
    live.write(NMEA.epoch(0) + NMEA.epoch(1))
    #expect(await eventually { lists() == 1 })
    for interests in [LocationSourceInterests.locations, .all] {
      live.recorder.interests = interests
      live.source.attach(live.recorder)
    }
    live.write(NMEA.epoch(2) + NMEA.epoch(3))
    #expect(await eventually { lists() == 2 })
  }

  @Test func aStoppedStreamEndsItsThread() async throws {
    let live = try LiveSource()
    live.source.detach(live.recorder)
    let second = SourceRecorder(live.source)
    live.source.attach(second)
    live.write(rmc("120000") + rmc("120001"))
    #expect(await eventually { second.locationCount == 2 })
    #expect(live.recorder.locationCount == 0)
    live.source.detach(second)
  }

  // MARK: Recordings that are none, or not to their end

  @Test func strictEndsAtTheFirstBadLine() async throws {
    let source = source(rmc("120000") + rmc("120001") + "$GPRMC,1*00\r\n" + rmc("120002"), strict: true)
    let recorder = await played(source)
    let failure = try #require(source.failure)
    #expect(failure.description.hasPrefix("test.nmea: line 3: "))
    #expect(recorder.locationCount == 2)
    #expect(recorder.events.contains(.failed(LocationError(.locationUnknown, failure.description))))
  }

  @Test func noiseIsNoRecording() async throws {
    let source = source("this is\nno recording\n")
    _ = await played(source)
    #expect(try #require(source.failure).reason == .noSentences)
  }

  /// As `track` says it; at a pace the first piece ends within the first line's end.
  @Test(
    arguments: [
      (String.Encoding.utf16LittleEndian, "UTF-16LE", [0xFF, 0xFE]), (.utf16BigEndian, "UTF-16BE", [0xFE, 0xFF]),
    ] as [(String.Encoding, String, [UInt8])])
  func wideTextIsNamed(encoding: String.Encoding, name: String, mark: [UInt8]) async throws {
    for text in [NMEA.epoch(0), "\r\n" + NMEA.epoch(0)] {
      let bytes = try [UInt8](#require(text.data(using: encoding)))
      for (bytes, name) in [(bytes, name), (mark + bytes, "UTF-16")] {
        let source = NMEASource([ReplayInput(name: "test.nmea", bytes: bytes)], speed: .factor(1))
        _ = await played(source)
        #expect(
          source.failure?.description == "test.nmea: is text in \(name); convert it with iconv -f \(name) -t UTF-8")
      }
    }
  }
}
