import Foundation
import Glibc
import Testing

@testable import Output

@Suite(.serialized) struct RegionLogTests {
  @Test func linesAreAppended() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    for run in 0..<2 {
      let log = try RegionLog(path: path)
      for number in 0..<10 { log.append(record("\(run).\(number)\n")) }
      #expect(log.finish(within: .seconds(20)))
    }
    #expect(contents(path) == (0..<20).map { "\($0 / 10).\($0 % 10)\n" }.joined())
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o137 == 0)
  }

  @Test(arguments: [
    ("", ""),
    ("a\n", "a\n"),
    // The beginning of a record is cut off, however much of it there is.
    ("a\n{", "a\n"),
    ("a\n{\"type\":\"reg", "a\n"),
    ("{\"type\":\"region\",\"time\"", ""),
    ("a\n{\"type\":\"region\",\"ti\0\0\0\0", "a\n"),
    ("a\n\0\0\0", "a\n"),
    // What this program did not write stays.
    ("a\nb", "a\nb\n"),
    ("{\"name\":1}", "{\"name\":1}\n"),
    ("a\n\0\0x", "a\n\0\0x\n"),
  ])
  func aTornLastLineIsMended(_ before: String, _ after: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    try Data(before.utf8).write(to: URL(fileURLWithPath: path))
    let log = try RegionLog(path: path)
    log.append(record("next\n"))
    #expect(log.finish(within: .seconds(20)))
    #expect(contents(path) == after + "next\n")
  }

  @Test func aLongLastLineIsKeptAndALongFileMended() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    let long = "{\"type\":\"" + String(repeating: "x", count: 100_000)
    try Data(long.utf8).write(to: URL(fileURLWithPath: path))
    #expect(try RegionLog(path: path).finish(within: .seconds(20)))
    #expect(contents(path) == long + "\n")
    let lines = String(repeating: "line\n", count: 30_000)
    try Data((lines + "{\"ty").utf8).write(to: URL(fileURLWithPath: path))
    #expect(try RegionLog(path: path).finish(within: .seconds(20)))
    #expect(contents(path) == lines)
  }

  @Test func reopeningFollowsARotation() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    let log = try RegionLog(path: path)
    log.append(record("old\n"))
    #expect(rename(path, path + ".1") == 0)
    log.append(record("still old\n"))
    log.reopen()
    #expect(await eventually { access(path, F_OK) == 0 })
    log.append(record("new\n"))
    #expect(log.finish(within: .seconds(20)))
    #expect(contents(path + ".1") == "old\nstill old\n")
    #expect(contents(path) == "new\n")
  }

  @Test func whenReopeningFailsTheOldFileStaysInUse() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    let notices = Collector<OutputNotice>()
    let log = try RegionLog(path: path, onNotice: notices.add)
    #expect(rename(path, path + ".1") == 0)
    mkdir(path, 0o700)
    log.reopen()
    #expect(await eventually { notices.all.count == 1 })
    #expect(
      notices.all.first?.message == "region log \(path) is a directory; name a file in it; the old file stays in use")
    log.append(record("line\n"))
    #expect(log.finish(within: .seconds(20)))
    #expect(contents(path + ".1") == "line\n")
  }

  @Test func aFullDiskIsToldOnceAndItGoesOnWhenThereIsRoom() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    symlink("/dev/full", path)
    let notices = Collector<OutputNotice>()
    let log = try RegionLog(path: path, limit: 1000, onNotice: notices.add)
    log.append(record("first\n"))
    #expect(await eventually { log.statistics.isFailing })
    for number in 0..<1000 { log.append(record(String(format: "%04d\n", number))) }
    #expect(log.statistics.dropped >= 800 && log.statistics.dropped < 1000)
    unlink(path)
    log.reopen()
    #expect(await eventually { !log.statistics.isFailing })
    #expect(log.finish(within: .seconds(20)))
    #expect(notices.all.map(\.severity) == [.error, .notice])
    #expect(log.statistics.failures == 1)
    let lines = contents(path).split(separator: "\n")
    #expect(lines.first == "first")
    #expect(lines.last == "0999")
    #expect(lines.contains { $0.hasPrefix(#"{"type":"dropped","count":"#) })
    // Every line is there, or counted.
    #expect(lines.count - 1 + log.statistics.dropped == 1001)
  }

  @Test func aFileSystemThatFillsUpHoldsWholeLinesOnly() async throws {
    let folder = try TemporaryFolder()
    let mountPoint = folder.file("small")
    mkdir(mountPoint, 0o700)
    guard mount("tmpfs", mountPoint, "tmpfs", 0, "size=64k") == 0 else { return }
    defer { umount2(mountPoint, Int32(MNT_DETACH)) }
    let path = mountPoint + "/regions.log"
    let filler = mountPoint + "/filler"
    try Data(repeating: 0, count: 40 << 10).write(to: URL(fileURLWithPath: filler))
    let notices = Collector<OutputNotice>()
    let log = try RegionLog(path: path, onNotice: notices.add)
    let lines = (0..<400).map { String(format: "%099d\n", $0) }
    for line in lines { log.append(record(line)) }
    #expect(await eventually { log.statistics.isFailing })
    let whole = contents(path)
    #expect(whole.hasSuffix("\n") && lines.joined().hasPrefix(whole) && whole.count < 40_000)
    unlink(filler)
    #expect(await eventually { !log.statistics.isFailing })
    #expect(log.finish(within: .seconds(20)))
    #expect(contents(path) == lines.joined())
    #expect(notices.all.first?.message.contains("No space left on device") == true)
  }

  @Test func failuresNameThePathAndTheMend() throws {
    let folder = try TemporaryFolder()
    func message(_ path: String) -> String {
      let error = #expect(throws: OutputError.self) { try RegionLog(path: path) }
      #expect(error?.exitStatus == (path.isEmpty ? 64 : 73))
      return error?.message.replacing(folder.path, with: "FOLDER") ?? ""
    }
    #expect(message(folder.path) == "region log FOLDER is a directory; name a file in it")
    #expect(
      message(folder.file("none/log"))
        == "region log FOLDER/none/log cannot be created: there is no folder FOLDER/none; create it first")
    try Data().write(to: URL(fileURLWithPath: folder.file("file")))
    #expect(
      message(folder.file("file/log"))
        == "region log FOLDER/file/log cannot be created: FOLDER/file is not a folder")
    let socket = RegionSocketOpeningTests.listener(folder.file("socket"))
    #expect(
      message(folder.file("socket"))
        == "region log FOLDER/socket is a socket; serve regions there with a region socket instead")
    close(socket)
    #expect(message(String(repeating: "x", count: 5000)).hasSuffix("File name too long"))
    #expect(message("") == "a region log needs a path, or - for standard output")
  }

  @Test func aNamedPipeKeepsTheNewestOfWhatNobodyReads() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("pipe")
    mkfifo(path, 0o600)
    let log = try RegionLog(path: path, limit: 10_000)
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
    #expect(log.finish(within: .seconds(20)))
  }
}
