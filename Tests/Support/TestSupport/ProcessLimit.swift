import Testing

/// Lets few tests that start programs run at the same time: dozens of daemons at once leave none of them the processor for
/// as long as a test is ready to wait.
///
/// A time limit counts the wait for room, which is minutes on a busy machine.
public struct ProcessLimit: TestTrait, SuiteTrait, TestScoping {
  /// Applies to each test of a suite, not to the suite as a whole.
  public var isRecursive: Bool { true }

  /// Runs the test when there is room for it.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Room.shared.enter()
    do {
      try await function()
      await Room.shared.leave()
    } catch {
      await Room.shared.leave()
      throw error
    }
  }

  private actor Room {
    static let shared = Room()

    private var free = 3
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
      if free > 0 {
        free -= 1
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }

    func leave() {
      if waiting.isEmpty {
        free += 1
      } else {
        waiting.removeFirst().resume()
      }
    }
  }
}

extension Trait where Self == ProcessLimit {
  /// For tests that start programs: few of them run at the same time.
  public static var startsPrograms: Self { ProcessLimit() }
}
