import Foundation
import Glibc
import SystemPackage
import Testing
import TestSupport

@testable import Platform

@Suite(.inTurn) struct PlatformTests {
  @Test func civilDatesAgreeWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in stride(from: -30_000, through: 80_000, by: 17) {
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400))
      let date = CivilDate(daysSince1970: days)
      #expect((date.year, date.month, date.day, date.daysSince1970) == (parts.year, parts.month, parts.day, days))
    }
  }

  @Test(
    arguments: [
      (2024, 2, 29, 19_782), (2000, 2, 29, 11_016), (2023, 2, 29, nil), (1900, 2, 29, nil), (2024, 13, 1, nil),
      (2024, 4, 31, nil), (2024, 1, 0, nil),
    ] as [(Int, Int, Int, Int?)])
  func onlyDaysThatExistAreDates(year: Int, month: Int, day: Int, days: Int?) {
    #expect(CivilDate(year: year, month: month, day: day)?.daysSince1970 == days)
  }

  @Test(
    arguments: [
      (0, 100, 0.0, "0 % of 100 B, 0 B/s"), (500_000, 1_000_000, 0.5, "50 % of 1.0 MB, 1.0 MB/s, 0:01 left"),
      (999, 1000, 1.0, "99 % of 1.0 kB, 999 B/s, 0:01 left"), (2000, 1000, 1.0, "100 % of 1.0 kB, 2.0 kB/s, 0:00 left"),
      (1_000_000, 8_000_000_000, 1.0, "0 % of 8.0 GB, 1.0 MB/s, 2:13:19 left"),
      (12_340_000, nil, 2.0, "12 MB, 6.2 MB/s"), (999_500, nil, 1.0, "1.0 MB, 1.0 MB/s"),
      (999_499, nil, 1.0, "999 kB, 999 kB/s"),
    ] as [(Int, Int?, Double, String)])
  func aProgressLineSaysHowFarItIs(done: Int, total: Int?, seconds: Double, text: String) {
    #expect(ProgressLine.text(done: done, total: total, seconds: seconds) == text)
  }

  @Test func aWakeupEndsAWaitAndStaysSignalled() async throws {
    let wakeup = try Wakeup()
    #expect(fcntl(wakeup.descriptor, F_GETFD) == FD_CLOEXEC, "other programs do not inherit it")
    #expect(wakeup.wait(seconds: 0) == .timedOut)
    let outcomes = Recorder<Wakeup.Outcome>()
    try Thread.start { outcomes.record(wakeup.wait()) }
    wakeup.signal()
    #expect(await eventually { outcomes.values == [.signalled] })
    #expect(wakeup.isSignalled)
    #expect(wakeup.wait(seconds: 0) == .signalled)
  }

  @Test func aWakeupThatIsResetCanBeSignalledAgain() throws {
    let wakeup = try Wakeup()
    #expect(!wakeup.reset())
    for _ in 0..<3 {
      // However often it is signalled, the pipe holds one byte.
      for _ in 0..<100_000 { wakeup.signal() }
      #expect(wakeup.wait(seconds: 0) == .signalled)
      #expect(wakeup.reset())
      #expect(!wakeup.isSignalled && wakeup.wait(seconds: 0) == .timedOut)
    }
  }

  @Test func aWakeupWatchesADescriptor() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let wakeup = try Wakeup()
    #expect(wakeup.wait(for: ends[0], seconds: 0) == .timedOut)
    #expect(write(ends[1], "x", 1) == 1)
    #expect(wakeup.wait(for: ends[0]) == .ready)
    wakeup.signal()
    #expect(wakeup.wait(for: ends[0]) == .signalled, "a flood on the descriptor does not hide it")
  }

  @Test func aWaitIsNotShorterThanItsTime() throws {
    let wakeup = try Wakeup()
    for milliseconds in stride(from: 0.1, to: 3, by: 0.3) {
      let start = monotonicSeconds()
      #expect(wakeup.wait(seconds: milliseconds / 1000) == .timedOut)
      #expect(monotonicSeconds() - start >= milliseconds / 1000)
    }
  }

  @Test func aWaitTakesNoProcessorTime() throws {
    let wakeup = try Wakeup()
    let start = threadSeconds()
    // Each of them is less than what poll can wait for.
    for _ in 0..<200 { #expect(wakeup.wait(seconds: 0.0009) == .timedOut) }
    #expect(threadSeconds() - start < 0.09)
  }

  /// A file that is longer than the limit is read beyond it, so that its reader sees that; also after whole blocks.
  @Test(arguments: [50_000, 3 * 16_384]) func readingStopsSoonAfterWhatIsWanted(limit: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.file("long")
    try Data(repeating: 7, count: 200_000).write(to: URL(fileURLWithPath: path))
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    defer { try? file.close() }
    let start = try file.readToEnd(limit: limit)
    #expect(start.count > limit && start.count < 100_000)
    #expect(try file.readToEnd().count == 200_000 - start.count)
  }

  @Test func aThreadTakesNoSignals() async throws {
    let ours = signalMask()
    let theirs = Recorder<[Bool]>()
    try Thread.start { theirs.record(signalMask()) }
    #expect(await eventually { theirs.values == [[true, true, true, true]] })
    #expect(signalMask() == ours, "the mask of who starts it stays")
  }

  @Test func workOnAThreadIsWaitedForNoLongerThanItsTime() async throws {
    #expect(try await Thread.result { 1 } == 1)
    #expect(try await Thread.result(within: 60) { 2 } == 2)
    let wakeup = try Wakeup()
    defer { wakeup.signal() }
    let hanging: @Sendable () -> Wakeup.Outcome = { wakeup.wait() }
    await #expect(throws: BlockingWorkFailure.timedOut) { try await Thread.result(within: 0.01, of: hanging) }
    let task = Task { try await Thread.result(of: hanging) }
    task.cancel()
    await #expect(throws: BlockingWorkFailure.stopped) { try await task.value }
  }

  @Test func messagesThatStandardErrorDoesNotTakeAreCounted() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var drops = 0
    // A long one is written whole.
    let first = String(repeating: "0123456789", count: 2000)
    StandardError.write(first, to: ends[1], unreportedDrops: &drops)
    #expect(drops == 0)
    #expect(text(in: ends[0]) == first + "\n")

    for (count, messages) in [(1, "1 message was"), (3, "3 messages were")] {
      _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
      while write(ends[1], [UInt8](repeating: 0, count: 4096), 4096) > 0 {}
      _ = fcntl(ends[1], F_SETFL, 0)
      for _ in 0..<count { StandardError.write("lost", to: ends[1], unreportedDrops: &drops) }
      #expect(drops == count)
      _ = text(in: ends[0])
      StandardError.write("next", to: ends[1], unreportedDrops: &drops)
      #expect(drops == 0)
      #expect(text(in: ends[0]) == "\(messages) dropped, because standard error took no more\nnext\n")
    }
  }

  @Test func aProgressLineStaysBelowTheMessages() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO)
      func written() -> String {
        var bytes = [UInt8](repeating: 0, count: 1000)
        return String(decoding: bytes[..<read(ends[0], &bytes, bytes.count)], as: UTF8.self)
      }
      let clear = "\r\u{1B}[K"
      StandardError.write(line: "first")
      precondition(written() == "first\n")
      StandardError.show(progress: "1 %")
      precondition(written() == clear + "1 %")
      StandardError.write(line: "second")
      precondition(written() == clear + "second\n1 %")
      StandardError.show(progress: "2 %")
      precondition(written() == clear + "2 %")
      StandardError.show(progress: nil)
      precondition(written() == clear)
      StandardError.write(line: "third")
      precondition(written() == "third\n")
    }
  }

  private func text(in descriptor: Int32) -> String {
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Whether the calling thread leaves these signals to other threads.
private func signalMask() -> [Bool] {
  var mask = sigset_t()
  pthread_sigmask(SIG_BLOCK, nil, &mask)
  return [SIGTERM, SIGINT, SIGHUP, SIGPIPE].map { sigismember(&mask, $0) == 1 }
}

/// The processor time that the calling thread has used.
private func threadSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
