import Foundation
import LocationKit
import Platform
import Records
import SystemPackage
import TestSupport
import Testing

@testable import Writing

@Suite(.inTurn) struct RemovedFileTests {
  private let folder = TemporaryFolder()

  private let notices = Recorder<OutputNotice>()

  private func log(_ name: String = "regions") throws -> (path: String, log: RecordStream) {
    (folder.file(name), try RecordStream(regionLog: folder.file(name), onNotice: notices.record))
  }

  private var messages: [String] { notices.values.map(\.message) }

  private let line = #"{"type":"region","time":"2025-02-01T12:00:00Z"}"# + "\n"

  @Test(arguments: [false, true])
  func aRegionLogThatWasRemovedGoesOnInANewFile(isReplaced: Bool) async throws {
    let (path, log) = try log()
    log.append(record(line))
    #expect(await eventually { contents(path) == line })
    #expect(unlink(path) == 0)
    if isReplaced { try Data().write(to: URL(fileURLWithPath: path)) }
    for _ in 0..<2 { log.append(record(line)) }
    #expect(await log.finish() == .finished)
    #expect(contents(path) == line + line)
    #expect(messages == ["region log \(path) was removed or replaced; writing continues in a new file"])
    #expect(log.statistics.account.isSettled)
  }

  @Test func aRegionLogThatWasTruncatedGoesOnAtItsEnd() async throws {
    let (path, log) = try log()
    for _ in 0..<2 { log.append(record(line)) }
    #expect(await eventually { contents(path) == line + line })
    // In the middle of the second line, which is torn then.
    #expect(truncate(path, line.utf8.count + 3) == 0)
    log.append(record(line))
    #expect(await log.finish() == .finished)
    #expect(contents(path) == line + line)
    let gone = line.utf8.count - 3
    #expect(messages == ["region log \(path) was truncated by another program: \(gone) bytes are gone"])
  }

  /// Also after the last write, and without a hole in the file.
  @Test(arguments: [0, O_APPEND]) func standardOutputThatWasTruncatedGoesOnAtItsEnd(flags: Int32) async throws {
    let path = folder.file("output")
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0o600)
    defer { close(descriptor) }
    let stream = try RecordStream(
      to: LineFile(descriptor, name: "output", onNotice: notices.record), mode: .live, limit: 1000,
      describeDropped: { _, _ in }, onNotice: notices.record, onEnd: { _ in })
    stream.append(record("one\n"))
    #expect(await eventually { stream.statistics.amount == 4 })
    #expect(truncate(path, 1) == 0)
    stream.append(record("two\n"))
    #expect(await eventually { contents(path) == "otwo\n" })
    #expect(truncate(path, 0) == 0)
    #expect(await stream.finish() == .finished)
    #expect(messages == [3, 5].map { "output was truncated by another program: \($0) bytes are gone" })
  }

  @Test func aRegionLogWhoseFolderWasRemovedWaitsForItAndLosesNothing() async throws {
    let logs = folder.file("logs")
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
    let (path, log) = try log("logs/regions")
    try FileManager.default.removeItem(atPath: logs)
    log.append(record(line))
    #expect(await eventually { log.statistics.isFailing })
    #expect(messages.contains { $0.contains("was removed, and region log") && $0.contains("no folder") })
    #expect(log.statistics.account.waiting == 1)
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
    #expect(await eventually { contents(path) == line })
    #expect(await log.finish() == .finished)
    #expect(messages.last?.hasSuffix("can be written again; nothing was lost") == true)
  }

  /// A file without a name from the beginning is a caller's temporary file, which the caller reads.
  @Test(arguments: [true, false])
  func standardOutputThatWasRemovedIsALoss(isNamed: Bool) async throws {
    let path = folder.file("output")
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    if !isNamed { #expect(unlink(path) == 0) }
    let stream = try await LocationStream(
      formatter: NDJSONFormatter(), descriptor: descriptor, mode: .live, onNotice: notices.record)
    if isNamed { #expect(unlink(path) == 0) }
    await stream.write(fullLocation)
    let end = await stream.finish()
    let account = stream.statistics.account
    if isNamed {
      #expect(end == .failed(.noSuchFileOrDirectory) && account.drops == [.failure: 1] && !account.isSettled)
    } else {
      #expect(end == .finished && account.isSettled)
    }
  }
}
