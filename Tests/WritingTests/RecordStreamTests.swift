@testable import Records
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import TestSupport

@testable import Writing

/// A pipe whose ends are closed with it.
final class TestPipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  /// Creates one that takes 8 KiB if it is small. Another one takes 64 KiB, or 8 as well where a user has a thousand.
  init(isSmall: Bool = false) throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    (reading, writing) = (ends[0], ends[1])
    let setPipeSize: Int32 = 1031
    if isSmall, fcntl(writing, setPipeSize, 8192) != 8192 { throw POSIXError(.EPERM) }
  }

  deinit {
    endReading()
    endWriting()
  }

  func endReading() {
    if reading >= 0 { close(reading) }
    reading = -1
  }

  func endWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Whether it takes a page more.
  var hasRoom: Bool {
    var entry = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// What there is, after waiting for a minute at most; empty at the end.
  func read(_ most: Int = 1 << 20) -> [UInt8] {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) == 1 else { return [] }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(reading, &bytes, most)
    return Array(bytes[..<max(count, 0)])
  }

  /// As many bytes, so many at a time, or what there is until the end.
  func read(count: Int, atOnce most: Int = 1 << 20, between: () async -> Void = {}) async -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, case let more = read(most), !more.isEmpty {
      bytes += more
      await between()
    }
    return bytes
  }

  /// What there is until the end, which this makes on the writing side.
  func rest() async -> [UInt8] {
    endWriting()
    return await read(count: .max)
  }
}

@Suite(.inTurn) struct RecordStreamTests {
  private let ends = Recorder<RecordStream.End>()
  private let notices = Recorder<OutputNotice>()

  @Test func aRecordIsWrittenAtOnceWhenThereIsLittleToDo() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(descriptor: pipe.writing, mode: .live)
    for number in 0..<20 {
      stream.append(record("record \(number)\n"))
      #expect(pipe.read() == Array("record \(number)\n".utf8))
    }
    #expect(await stream.finish() == .finished)
    let statistics = stream.statistics
    #expect(statistics.records == 20 && statistics.dropped == 0 && statistics.amount == 190)
    #expect(statistics.failures == 0 && !statistics.isFailing)
  }

  @Test func aPipeWithoutRoomHoldsNobodyUp() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(descriptor: pipe.writing, mode: .live)
    // More than a pipe takes. Each record comes on its own as long as there is room, so that each is tried without the thread.
    let expected = (0..<200).map { "\($0) " + String(repeating: "-", count: 1000) + "\n" }
    var bytes = 0
    for line in expected {
      stream.append(record(line))
      bytes += line.utf8.count
      #expect(await eventually { stream.statistics.amount == bytes || !pipe.hasRoom })
    }
    async let end = stream.finish()
    #expect(String(decoding: await pipe.read(count: bytes), as: UTF8.self) == expected.joined())
    #expect(await end == .finished)
    #expect(stream.statistics.dropped == 0)
  }

  @Test func everythingArrivesInOrderInLargePieces() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("out")
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    let stream = try RecordStream(descriptor: descriptor, mode: .replay, limit: 100_000, onEnd: ends.record)
    let expected = (0..<100_000).map { "\($0)\n" }
    for line in expected { stream.append(record(line)) }
    #expect(await stream.finish() == .finished)
    #expect(contents(path) == expected.joined())
    #expect(ends.values == [.finished])
    // What comes later goes nowhere.
    stream.append(record("late\n"))
    #expect(await stream.finish() == .finished)
    #expect(!contents(path).contains("late"))
    #expect(stream.statistics.dropped == 1)
    close(descriptor)
  }

  @Test func aSlowReaderLosesTheOldestAndReadsHowManyAtTheirPlace() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(
      descriptor: pipe.writing, mode: .live, limit: 10_000,
      describeDropped: { count, buffer in
        let formatter = NDJSONFormatter()
        formatter.append(dropped: count, to: &buffer)
      })
    let count = 20_000
    for number in 0..<count { stream.append(record(String(format: "%09d\n", number))) }
    let lost = stream.statistics.dropped
    #expect(lost > 5000)
    var text: [UInt8] = []
    while text.suffix(10) != Array(String(format: "%09d\n", count - 1).utf8)[...] {
      let more = pipe.read()
      try #require(!more.isEmpty)
      text += more
    }
    var next = 0
    var reported = 0
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("{") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let dropped = try #require(object["count"] as? Int)
        reported += dropped
        next += dropped
      } else {
        try #require(Int(line) == next)
        next += 1
      }
    }
    #expect(next == count)
    #expect(reported == stream.statistics.dropped)
    #expect(await stream.finish() == .finished)
  }

  @Test func aCallerThatWaitsGoesOnWhenThereIsRoom() async throws {
    let pipe = try TestPipe(isSmall: true)
    let stream = try RecordStream(descriptor: pipe.writing, mode: .replay, limit: 1000)
    let appended = Recorder<Int>()
    try Thread.start {
      for number in 0..<30_000 {
        stream.append(record(String(format: "%09d\n", number)))
        appended.record(number)
      }
    }
    // The pipe takes 8 KiB or not quite, the stream twice its limit; then the caller waits.
    #expect(await eventually { appended.values.count > 500 })
    #expect(appended.values.count < 1500)
    #expect(await pipe.read(count: 300_000).count == 300_000)
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics.dropped == 0)
    // The caller counts a record after the stream has it.
    #expect(await eventually { appended.values.count == 30_000 })
  }

  @Test func aCallerThatWaitsIsReleasedByCancel() async throws {
    let pipe = try TestPipe(isSmall: true)
    let stream = try RecordStream(descriptor: pipe.writing, mode: .replay, limit: 1000, onEnd: ends.record)
    let done = Recorder<Bool>()
    try Thread.start {
      for _ in 0..<30_000 { stream.append(record("123456789\n")) }
      done.record(true)
    }
    #expect(await eventually { stream.statistics.records > 500 })
    #expect(done.values.isEmpty)
    stream.cancel()
    #expect(await eventually { !done.values.isEmpty && ends.values == [.cancelled] })
    #expect(stream.statistics.records == 30_000 && stream.statistics.dropped > 20_000)
  }

  @Test func aReaderThatIsGoneIsAQuietEnd() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(descriptor: pipe.writing, mode: .replay, onNotice: notices.record, onEnd: ends.record)
    stream.append(record("one\n"))
    #expect(pipe.read() == Array("one\n".utf8))
    pipe.endReading()
    stream.append(record("two\n"))
    #expect(await eventually { ends.values == [.readerGone] })
    #expect(notices.values.isEmpty)
    #expect(await stream.finish() == .readerGone)
    #expect(stream.statistics.dropped == 1)
  }

  @Test func aFullDiskEndsAReplay() async throws {
    let full = open("/dev/full", O_WRONLY)
    let stream = try RecordStream(
      descriptor: full, mode: .replay, limit: 100, onNotice: notices.record, onEnd: ends.record)
    stream.append(record("header\n"), isRecord: false)
    for _ in 0..<1000 { stream.append(record("123456789\n")) }
    #expect(await eventually { ends.values == [.failed(.noSpace)] })
    #expect(notices.values.isEmpty)
    #expect(await stream.finish() == .failed(.noSpace))
    // Also those that were appended after the failure. A header counts as no record.
    #expect(stream.statistics.records == 1000 && stream.statistics.dropped == 1000)
    close(full)
  }

  @Test func aStuckReaderHoldsUpTheEndOnlyUntilItIsCancelled() async throws {
    let pipe = try TestPipe(isSmall: true)
    let stream = try RecordStream(descriptor: pipe.writing, mode: .replay)
    for _ in 0..<100_000 { stream.append(record("123456789\n")) }
    async let end = stream.finish()
    // About what the pipe takes, so that the thread is in the middle of it.
    #expect(await eventually { stream.statistics.amount >= 4096 })
    stream.cancel()
    #expect(await end == .cancelled)
    // What is in the pipe is written, the rest is counted, to the record.
    #expect(await pipe.rest().count / 10 + stream.statistics.dropped == 100_000)
  }

  @Test func theEndWaitsForASlowReaderAsLongAsItTakes() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(descriptor: pipe.writing, mode: .replay, limit: 1 << 20)
    for _ in 0..<30_000 { stream.append(record("123456789\n")) }
    async let end = stream.finish()
    let received = await pipe.read(count: 300_000, atOnce: 3000) {
      // The pipe is full again, or the last record is in it.
      #expect(await eventually { !pipe.hasRoom || stream.statistics.amount == 300_000 })
    }
    #expect(received.count == 300_000)
    #expect(await end == .finished)
    #expect(stream.statistics.dropped == 0)
  }

  @Test func aDescriptorThatDoesNotBlockIsWaitedFor() async throws {
    let pipe = try TestPipe()
    _ = fcntl(pipe.writing, F_SETFL, fcntl(pipe.writing, F_GETFL) | O_NONBLOCK)
    let stream = try RecordStream(descriptor: pipe.writing, mode: .live)
    let line = "123456789\n"
    for _ in 0..<50_000 { stream.append(record(line)) }
    let received = await pipe.read(count: 500_000, atOnce: 10_000)
    #expect(received == Array(String(repeating: line, count: 50_000).utf8))
    #expect(await stream.finish() == .finished)
  }
}
