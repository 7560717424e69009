import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Output

/// A pipe whose ends are closed with it.
final class TestPipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    (reading, writing) = (ends[0], ends[1])
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

  /// What there is, after waiting for something at most 20 s; empty at the end.
  func read(_ most: Int = 1 << 20) -> [UInt8] {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 20_000) == 1 else { return [] }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = Glibc.read(reading, &bytes, most)
    return Array(bytes[..<max(count, 0)])
  }
}

extension RecordStream {
  /// Whether the thread has nothing to do, and had nothing for a while.
  fileprivate var hasNothingToDo: Bool {
    state.withLock { $0.wakesAt == 1 && DispatchTime.now().uptimeNanoseconds > $0.gatheringEnds }
  }
}

@Suite(.serialized) struct RecordStreamTests {
  @Test func aRecordIsWrittenAtOnceWhenThereIsLittleToDo() throws {
    let pipe = try TestPipe()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .dropOldest)
    for number in 0..<20 {
      stream.append(record("record \(number)\n"))
      #expect(pipe.read() == Array("record \(number)\n".utf8))
    }
    #expect(stream.finish(within: .seconds(20)))
    #expect(stream.statistics == .init(records: 20, dropped: 0, bytes: 190, failures: 0, isFailing: false))
  }

  @Test func aPipeWithRoomIsWrittenByTheCaller() async throws {
    let pipe = try TestPipe()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .dropOldest)
    for number in 0..<20 {
      #expect(await eventually { stream.hasNothingToDo })
      stream.append(record("record \(number)\n"))
      var entry = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
      #expect(poll(&entry, 1, 0) == 1)
      #expect(pipe.read() == Array("record \(number)\n".utf8))
    }
    #expect(stream.statistics == .init(records: 20, dropped: 0, bytes: 190, failures: 0, isFailing: false))
    #expect(stream.finish(within: .seconds(20)))
    // The stream's own way into the pipe is closed with it.
    pipe.endWriting()
    #expect(pipe.read().isEmpty)
  }

  @Test func aFullPipeIsNotWaitedForAndKeepsTheOrder() async throws {
    let pipe = try TestPipe()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .dropOldest)
    let lines = (0..<40).map { String(repeating: "\($0) ", count: 1500) + "\n" }
    for line in lines {
      // Not so any more once the pipe is full.
      _ = await eventually(within: 0.02) { stream.hasNothingToDo }
      stream.append(record(line))
    }
    var received: [UInt8] = []
    while received.count < lines.joined().utf8.count { received += pipe.read() }
    #expect(String(decoding: received, as: UTF8.self) == lines.joined())
    #expect(stream.finish(within: .seconds(20)))
  }

  @Test func everythingArrivesInOrderInLargePieces() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("out")
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    let ends = Collector<RecordStream.End>()
    let stream = RecordStream(descriptor: descriptor, whenFull: .wait, limit: 100_000, onEnd: ends.add)
    let expected = (0..<100_000).map { "\($0)\n" }
    for line in expected { stream.append(record(line)) }
    #expect(stream.finish(within: .seconds(20)))
    #expect(contents(path) == expected.joined())
    #expect(ends.all == [.finished])
    #expect(stream.hasEnded)
    // What comes later goes nowhere.
    stream.append(record("late\n"))
    #expect(stream.finish(within: .seconds(1)))
    #expect(!contents(path).contains("late"))
    close(descriptor)
  }

  @Test func aSlowReaderLosesTheOldestAndIsToldHowManyAtTheirPlace() throws {
    let pipe = try TestPipe()
    let stream = RecordStream(
      descriptor: pipe.writing, whenFull: .dropOldest, limit: 10_000,
      describeDropped: { count, buffer in
        var formatter = NDJSONFormatter()
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
    var told = 0
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("{") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let dropped = try #require(object["count"] as? Int)
        told += dropped
        next += dropped
      } else {
        try #require(Int(line) == next)
        next += 1
      }
    }
    #expect(next == count)
    #expect(told == stream.statistics.dropped)
    #expect(stream.finish(within: .seconds(20)))
  }

  @Test func aCallerThatWaitsGoesOnWhenThereIsRoom() async throws {
    let pipe = try TestPipe()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .wait, limit: 1000)
    let appended = Collector<Int>()
    #expect(
      BackgroundThread.start {
        for number in 0..<30_000 {
          stream.append(record(String(format: "%09d\n", number)))
          appended.add(number)
        }
      })
    // The pipe takes 64 KiB, the stream twice its limit; then the caller waits.
    #expect(await eventually { appended.all.count > 6000 })
    try await Task.sleep(for: .milliseconds(50))
    #expect(appended.all.count < 10_000)
    var received = 0
    while received < 300_000 {
      let more = pipe.read()
      try #require(!more.isEmpty)
      received += more.count
    }
    #expect(stream.finish(within: .seconds(20)))
    #expect(stream.statistics.dropped == 0)
    #expect(appended.all.count == 30_000)
  }

  @Test func aCallerThatWaitsIsReleasedByCancel() async throws {
    let pipe = try TestPipe()
    let ends = Collector<RecordStream.End>()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .wait, limit: 1000, onEnd: ends.add)
    let done = Collector<Bool>()
    #expect(
      BackgroundThread.start {
        for _ in 0..<30_000 { stream.append(record("123456789\n")) }
        done.add(true)
      })
    #expect(await eventually { stream.statistics.records > 6000 })
    #expect(done.all.isEmpty)
    stream.cancel()
    #expect(await eventually { !done.all.isEmpty })
    #expect(stream.hasEnded)
    // The thread itself is in write(2) until the reader goes.
    pipe.endReading()
    #expect(await eventually { !ends.all.isEmpty })
  }

  @Test func aReaderThatIsGoneIsAQuietEnd() async throws {
    let pipe = try TestPipe()
    let ends = Collector<RecordStream.End>()
    let notices = Collector<OutputNotice>()
    let stream = RecordStream(
      descriptor: pipe.writing, whenFull: .wait, onNotice: notices.add, onEnd: ends.add)
    stream.append(record("one\n"))
    #expect(pipe.read() == Array("one\n".utf8))
    pipe.endReading()
    stream.append(record("two\n"))
    #expect(await eventually { ends.all == [.readerGone] })
    #expect(notices.all.isEmpty)
    #expect(!stream.finish(within: .seconds(1)))
    #expect(stream.statistics.dropped == 1)
  }

  @Test func aFullDiskEndsAStreamThatIsToEnd() async throws {
    let full = open("/dev/full", O_WRONLY)
    let ends = Collector<RecordStream.End>()
    let notices = Collector<OutputNotice>()
    let stream = RecordStream(descriptor: full, whenFull: .wait, limit: 100, onNotice: notices.add, onEnd: ends.add)
    for _ in 0..<1000 { stream.append(record("123456789\n")) }
    #expect(await eventually { ends.all == [.failed(ENOSPC)] })
    #expect(notices.all == [OutputNotice(.error, "standard output cannot be written: No space left on device")])
    #expect(!stream.finish(within: .seconds(1)))
    close(full)
  }

  @Test func aFullDiskIsToldOnceByAStreamThatTriesAgain() async throws {
    let full = open("/dev/full", O_WRONLY)
    let notices = Collector<OutputNotice>()
    // A caller must not wait for a disk that may be full for days.
    let stream = RecordStream(
      descriptor: full, whenFull: .wait, onFailure: .retry, limit: 1000, onNotice: notices.add)
    for _ in 0..<10_000 { stream.append(record("123456789\n")) }
    #expect(stream.statistics.records == 10_000)
    #expect(await eventually { stream.statistics.isFailing && stream.statistics.dropped > 5000 })
    #expect(notices.all.count == 1)
    #expect(notices.all.first?.message.hasSuffix("trying again every second") == true)
    let start = Date.now
    #expect(!stream.finish(within: .seconds(20)))
    // The end does not wait for the next try.
    #expect(Date.now.timeIntervalSince(start) < 0.9)
    #expect(stream.statistics.dropped == 10_000)
    close(full)
  }

  @Test func aStuckReaderDoesNotHoldUpTheEnd() async throws {
    let pipe = try TestPipe()
    let ends = Collector<RecordStream.End>()
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .dropOldest, onEnd: ends.add)
    for _ in 0..<100_000 { stream.append(record("123456789\n")) }
    let start = Date.now
    #expect(!stream.finish(within: .milliseconds(100)))
    #expect(Date.now.timeIntervalSince(start) < 10)
    // The thread is in write(2) until the reader goes; only then may the descriptor's number become another file's.
    pipe.endReading()
    #expect(await eventually { !ends.all.isEmpty })
  }

  @Test func aDescriptorThatDoesNotBlockIsWaitedFor() throws {
    let pipe = try TestPipe()
    _ = fcntl(pipe.writing, F_SETFL, fcntl(pipe.writing, F_GETFL) | O_NONBLOCK)
    let stream = RecordStream(descriptor: pipe.writing, whenFull: .dropOldest)
    let line = Array("123456789\n".utf8)
    for _ in 0..<50_000 { stream.append(record("123456789\n")) }
    var received: [UInt8] = []
    while received.count < 500_000 {
      let more = pipe.read(10_000)
      try #require(!more.isEmpty)
      received += more
    }
    #expect(received == Array(repeatElement(line, count: 50_000).joined()))
    #expect(stream.finish(within: .seconds(20)))
  }
}
