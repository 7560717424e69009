@testable import Records
import Foundation
import HeadlessMap
import LocationKit
import Testing
import TestSupport

@testable import Writing

@Suite(.inTurn) struct RegionLogTests {
  private let notices = Recorder<OutputNotice>()
  private let folder = TemporaryFolder()
  private var path: String { folder.file("regions.log") }

  @Test func linesAreAppended() async throws {
    for run in 0..<2 {
      let log = try RecordStream(regionLog: path)
      for number in 0..<10 { log.append(record("{\"type\":\"dropped\",\"count\":\(10 * run + number)}\n")) }
      #expect(await log.finish() == .finished)
    }
    #expect(contents(path) == (0..<20).map { "{\"type\":\"dropped\",\"count\":\($0)}\n" }.joined())
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o137 == 0)
  }

  private static let region =
    #"{"type":"region","time":"2024-02-24T07:36:03.000Z","center":{"latitude":37.785834,"longitude":-122.406417},"#
    + #""span":{"latitudeDelta":0.09,"longitudeDelta":0.11}}"#

  @Test(arguments: [
    ("", ""),
    (region + "\n", region + "\n"),
    (#"{"type":"dropped","count":12}"# + "\n", #"{"type":"dropped","count":12}"# + "\n"),
    (#"{"type":"region"}"# + "\n", #"{"type":"region"}"# + "\n"),
    // Only the last line is looked at.
    ("a\n" + region + "\n", "a\n" + region + "\n"),
    // A whole record without its line feed is kept.
    (region, region + "\n"),
    (region + "\n" + region, region + "\n" + region + "\n"),
    (region + "\0\0", region + "\n"),
    (region + "\n\0\0\0", region + "\n"),
    // A torn record is cut off.
    (region + "\n{", region + "\n"),
    (region + "\n{\"type\":\"reg", region + "\n"),
    (region + "\n{\"type\":\"dropped\",\"coun", region + "\n"),
    ("{\"type\":\"region\",\"time\"", ""),
    (region + "\n{\"type\":\"region\",\"ti\0\0\0\0", region + "\n"),
    ("\0\0\0", ""),
    // A long log.
    (String(repeating: region + "\n", count: 3000) + "{\"ty", String(repeating: region + "\n", count: 3000)),
  ])
  func aTornLastLineIsCutOff(_ before: String, _ after: String) async throws {
    try folder.write(before, to: "regions.log")
    let log = try RecordStream(regionLog: path)
    log.append(record("next\n"))
    #expect(await log.finish() == .finished)
    #expect(contents(path) == after + "next\n")
  }

  @Test func everyBeginningOfARecordIsCutOff() async throws {
    for length in 0..<Self.region.count {
      try folder.write(String(Self.region.prefix(length)), to: "regions.log")
      #expect(try await RecordStream(regionLog: path).finish() == .finished)
      #expect(contents(path) == "")
    }
  }

  @Test(arguments: [
    #"{"type":"FeatureCollection","features":[]}"#,
    #"{"type":""# + "Feat", "{\"name\":1}", "a", "a\n", "\n", region + "\nb", region + "\n\0\0x",
    #"{"type":"reg"# + "\n",
    #"{"type":""# + String(repeating: "x", count: 100_000), String(repeating: " ", count: 10_000),
  ])
  func aFileOfSomebodyElseIsRefusedAndLeftAlone(_ before: String) throws {
    let path = try folder.write(before, to: "map.geojson")
    let error = #expect(throws: OutputError.self) { try RecordStream(regionLog: path) }
    #expect(error?.code == .cannotCreate)
    #expect(error?.message == "region log \(path) ends with a line that is not of a region log; choose another file")
    #expect(contents(path) == before)
  }

  @Test func whatTheFormatterWritesIsARecord() throws {
    let formatter = NDJSONFormatter()
    let region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: -1.5e-7, longitude: 180), latitudinalMeters: 1e4, longitudinalMeters: 1e7)
    let lines = [
      RecordBuffer.bytes(capacity: 200) { formatter.append(region, at: nil, to: &$0) },
      RecordBuffer.bytes(capacity: 200) { formatter.append(region, at: Date(timeIntervalSince1970: 0), to: &$0) },
      RecordBuffer.bytes(capacity: 200) { formatter.append(dropped: 3, to: &$0) },
    ]
    for line in lines { #expect(LineFile.Format.regionLog.isLine(line), "\(String(decoding: line, as: UTF8.self))") }
  }

  @Test func reopeningFollowsARotation() async throws {
    let log = try RecordStream(regionLog: path)
    log.append(record("old\n"))
    #expect(rename(path, path + ".1") == 0)
    log.append(record("still old\n"))
    log.reopen()
    #expect(await eventually { access(path, F_OK) == 0 })
    log.append(record("new\n"))
    #expect(await eventually { contents(path) == "new\n" })
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!open.contains(path + ".1"), "the old file is closed")
    #expect(await log.finish() == .finished)
    #expect(contents(path + ".1") == "old\nstill old\n")
    #expect(contents(path) == "new\n")
  }

  @Test func whenReopeningFailsTheOldFileStaysInUse() async throws {
    let log = try RecordStream(regionLog: path, onNotice: notices.record)
    #expect(rename(path, path + ".1") == 0)
    mkdir(path, 0o700)
    log.reopen()
    #expect(await eventually { notices.values.count == 1 })
    #expect(
      notices.values.first?.message == "region log \(path) is a directory; name a file in it; the old file stays in use"
    )
    log.append(record("line\n"))
    #expect(await log.finish() == .finished)
    #expect(contents(path + ".1") == "line\n")
  }

  @Test func aFullDiskIsReportedOnceAndItGoesOnWhenThereIsRoom() async throws {
    symlink("/dev/full", path)
    let log = try RecordStream(regionLog: path, limit: 1000, onNotice: notices.record)
    log.append(record("first\n"))
    #expect(await eventually { log.statistics.isFailing })
    for number in 0..<1000 { log.append(record(String(format: "%04d\n", number))) }
    let dropped = log.statistics.dropped
    #expect(dropped >= 800 && dropped < 1000)
    unlink(path)
    log.reopen()
    #expect(await eventually { !log.statistics.isFailing })
    #expect(await log.finish() == .finished)
    try #require(notices.values.map(\.severity) == [.error, .notice])
    #expect(notices.values[0].message.hasSuffix("retrying every second"))
    #expect(log.statistics.failures == 1)
    let lines = contents(path).split(separator: "\n")
    #expect(lines.first == "first")
    #expect(lines.last == "0999")
    #expect(lines.contains { $0.hasPrefix(#"{"type":"dropped","count":"#) })
    // Every line is there, or counted.
    #expect(lines.count - 1 + log.statistics.dropped == 1001)
  }

  @Test(.mounts) func aFileSystemThatFillsUpHoldsWholeLinesOnly() async throws {
    let mountPoint = try SmallDisk("64k")
    let path = mountPoint.path + "/regions.log"
    let filler = mountPoint.path + "/filler"
    try Data(repeating: 0, count: 40 << 10).write(to: URL(fileURLWithPath: filler))
    let log = try RecordStream(regionLog: path, onNotice: notices.record)
    let lines = (0..<400).map { String(format: "%099d\n", $0) }
    for line in lines { log.append(record(line)) }
    #expect(await eventually { log.statistics.isFailing })
    let whole = contents(path)
    #expect(whole.hasSuffix("\n") && lines.joined().hasPrefix(whole) && whole.count < 40_000)
    unlink(filler)
    #expect(await eventually { !log.statistics.isFailing })
    #expect(await log.finish() == .finished)
    #expect(contents(path) == lines.joined())
    #expect(notices.values.first?.message.contains("No space left on device") == true)
  }

  @Test func failuresNameThePathAndTheWayOut() async throws {
    func message(_ path: String) -> String {
      let error = #expect(throws: OutputError.self) { try RecordStream(regionLog: path) }
      #expect(error?.code == .cannotCreate)
      return error?.message.replacing(folder.path, with: "FOLDER") ?? ""
    }
    #expect(message(folder.path) == "region log FOLDER is a directory; name a file in it")
    try folder.write("", to: "file")
    let socket = try LoopbackSocket.unix(folder.file("socket"), listens: false)
    for (name, words) in [
      ("none/log", "cannot be created: there is no folder FOLDER/none; create it first"),
      ("file/log", "cannot be created: FOLDER/file is not a folder"),
      ("socket", "is a socket; serve regions there with a region socket instead"),
    ] {
      #expect(message(folder.file(name)) == "region log FOLDER/\(name) \(words)")
    }
    close(socket)
    #expect(message(String(repeating: "x", count: 5000)).hasSuffix("File name too long"))
    #expect(message("") == "a region log needs the path of a file")
  }

  @Test func aNamedPipeKeepsTheNewestOfWhatNobodyReads() async throws {
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    let log = try RecordStream(regionLog: path, limit: 10_000)
    for number in 0..<30_000 { log.append(record(String(format: "%09d\n", number))) }
    #expect(await eventually { log.statistics.dropped > 10_000 })
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    var text: [UInt8] = []
    let isComplete = await eventually {
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = read(reader, &bytes, bytes.count)
      text += bytes[..<max(count, 0)]
      return text.suffix(10) == Array("000029999\n".utf8)[...]
    }
    #expect(isComplete)
    close(reader)
    #expect(await log.finish() == .finished)
  }
}
