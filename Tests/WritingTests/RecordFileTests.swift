@testable import Records
import Glibc
import Synchronization
import SystemPackage
import Testing
import TestSupport

@testable import Writing

/// What a stream does with a file that takes, refuses and tears as it is told.
@Suite(.inTurn) struct RecordFileTests {
  /// What a destination does with the bytes that it is given next.
  private enum Step: Sendable {
    case take(Int)
    /// Fails for as long as it is told to.
    case fail(Errno)
    case hold
  }

  /// Tells a destination what to do, and has what it was asked for.
  private final class Script: Sendable {
    private let steps: Mutex<[Step]>
    let calls = Recorder<String>()

    /// The last step lasts.
    init(_ steps: [Step]) { self.steps = Mutex(steps) }

    var step: Step { steps.withLock { $0.first ?? .hold } }

    func done() { steps.withLock { if $0.count > 1 { $0.removeFirst() } } }

    func go(_ next: [Step]) { steps.withLock { $0 = next } }

    func count(_ call: String) -> Int { calls.values.count { $0 == call } }
  }

  private final class Scripted: RecordFile {
    let name = "the destination"
    let descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC)
    private let script: Script

    init(_ script: Script) { self.script = script }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
      script.calls.record("asked")
      // Without a deadline: the test decides when it goes on.
      while case .hold = script.step { usleep(1000) }
      switch script.step {
      case .take(let most):
        let count = min(most, bytes.count)
        script.calls.record(String(decoding: bytes[..<count], as: UTF8.self))
        script.done()
        return count
      case .fail(let error):
        script.calls.record("failed")
        throw error
      case .hold: return 0
      }
    }

    func reopen() { script.calls.record("reopened") }

    func close() { Glibc.close(descriptor) }
  }

  private let notices = Recorder<OutputNotice>()

  private func stream(_ script: Script, _ mode: OutboxMode = .live, limit: Int = 1 << 20) throws -> RecordStream {
    try RecordStream(
      to: Scripted(script), mode: mode, limit: limit, describeDropped: { _, _ in }, onNotice: notices.record,
      onEnd: { _ in })
  }

  /// The rest of a record goes to the file that has its beginning.
  @Test(arguments: [(["abcdef"], ["abc", "def", "reopened"]), (["abc", "def"], ["abc", "reopened", "def"])])
  func aFailingFileIsReopenedBetweenRecords(records: [String], calls: [String]) async throws {
    let script = Script([.take(3), .fail(.noSpace)])
    let stream = try stream(script)
    for text in records { stream.append(record(text)) }
    #expect(await eventually { script.count("failed") >= 1 })
    stream.reopen()
    #expect(await eventually { records.count == 1 ? script.count("failed") >= 2 : script.count("reopened") == 1 })
    script.go([.take(100)])
    #expect(await stream.finish() == .finished)
    #expect(script.calls.values.filter { $0 != "asked" && $0 != "failed" } == calls)
  }

  @Test func aFailureIsReportedOnceHoweverOftenItIsMetAndSoIsItsEnd() async throws {
    let script = Script([.fail(.noSpace)])
    let stream = try stream(script, limit: 6)
    stream.append(record("abc"))
    for count in 1...3 {
      #expect(await eventually { script.count("failed") >= count })
      // It is tried again at once.
      stream.reopen()
    }
    for _ in 0..<3 { stream.append(record("def")) }
    let dropped = stream.statistics.dropped
    #expect(notices.values.map(\.severity) == [.error])
    script.go([.take(100)])
    #expect(await eventually { notices.values.count == 2 })
    #expect(notices.values.last?.message == "the destination can be written again; \(dropped) records were lost so far")
    #expect(dropped > 0 && stream.statistics.failures == 1)
    #expect(await stream.finish() == .finished)
  }

  @Test(arguments: [Errno.brokenPipe, .connectionReset])
  func aReaderMayGoInEitherWay(error: Errno) async throws {
    let stream = try stream(Script([.fail(error)]))
    stream.append(record("abc"))
    #expect(await eventually { stream.statistics.dropped == 1 })
    #expect(await stream.finish() == .readerGone)
    #expect(notices.values.isEmpty)
  }

  @Test func aBufferIsFullWhenItIsFullToTheByte() async throws {
    let script = Script([.hold])
    let stream = try stream(script, limit: 100)
    stream.append(record("0123456789"))
    #expect(await eventually { script.count("asked") == 1 })
    // The first is being written; ten more are what may wait.
    for _ in 0..<10 { stream.append(record("0123456789")) }
    #expect(stream.statistics.dropped == 0)
    stream.append(record("x"))
    // A quarter goes at once: of 100 bytes 74 may stay beside the new one, which seven records are.
    #expect(stream.statistics.dropped == 3)
    script.go([.take(1000)])
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics.amount == 10 + 70 + 1)
  }

  @Test func aRecordOrAHeaderThatIsLongerThanTheBufferIsWritten() async throws {
    for isRecord in [false, true] {
      let script = Script([.take(1000)])
      let stream = try stream(script, .replay, limit: 4)
      stream.append(record("0123456789"), isRecord: isRecord)
      stream.append(record("abcdef"))
      #expect(await stream.finish() == .finished)
      #expect(stream.statistics.amount == 16 && stream.statistics.dropped == 0)
    }
  }
}
