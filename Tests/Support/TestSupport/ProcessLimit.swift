import Foundation
import Testing

/// Has a suite whose tests start programs wait until the tests that start none are over, and until one of a few rooms is free.
/// Its tests then run one after the other.
///
/// The suite waits before its tests begin, so that neither their time limits nor the durations that they report contain the
/// wait. A suite inside one that has the trait needs no trait of its own.
package struct ProcessLimit: SuiteTrait, TestScoping {
  /// Whether the suite takes most of a minute, and so is the next one.
  fileprivate let isLong: Bool

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Room.shared.enter(isNext: isLong)
    do {
      let serialized: ParallelizationTrait = .serialized
      try await serialized.provideScope(for: test, testCase: testCase, performing: function)
      await Room.shared.leave()
    } catch {
      await Room.shared.leave()
      throw error
    }
  }

  private actor Room {
    static let shared = Room()

    /// As many daemons as the machine carries: more of them leave none of them the processor for as long as a test is ready
    /// to wait. Most of their time they wait themselves.
    private var free = 3 * ProcessInfo.processInfo.activeProcessorCount
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// On a thread of its own, because one of the pool's would be busy with asking, too.
    private let otherTests = Task {
      await withCheckedContinuation { others in
        Thread.detachNewThread {
          Room.waitUntilIdle()
          others.resume()
        }
      }
    }

    func enter(isNext: Bool) async {
      await otherTests.value
      if free > 0 {
        free -= 1
      } else {
        await withCheckedContinuation { waiting.insert($0, at: isNext ? 0 : waiting.endIndex) }
      }
    }

    func leave() {
      if waiting.isEmpty {
        free += 1
      } else {
        waiting.removeFirst().resume()
      }
    }

    /// Waits until no thread of this process has had work for half a second, which is when the tests that start no program
    /// are over. A test that is always busy keeps the others waiting for a minute at most.
    private static func waitUntilIdle() {
      let deadline = ContinuousClock.now + .seconds(60)
      var idle = 0
      while idle < 20, ContinuousClock.now < deadline {
        usleep(25_000)
        idle = runningThreads() <= 1 ? idle + 1 : 0
      }
    }

    /// How many threads of this process run or could run, the asking one included.
    private static func runningThreads() -> Int {
      let tasks = "/proc/self/task"
      return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).count { thread in
        let state = (try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)) ?? ""
        return state.split(separator: ")").last?.hasPrefix(" R") == true
      }
    }
  }
}

extension Trait where Self == ProcessLimit {
  /// For suites whose tests start programs: few of them run at the same time, and after all other tests.
  package static var startsPrograms: Self { ProcessLimit(isLong: false) }

  /// For the longest of them, which begin early: what begins last is waited for alone.
  package static var startsProgramsForLong: Self { ProcessLimit(isLong: true) }
}
