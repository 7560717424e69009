import Foundation
import Testing

/// Has a suite wait for its turn: the suites whose tests start no program come first, and few suites run at a time. The tests
/// of one run one after the other.
///
/// The suite waits before its tests begin, so that neither their time limits nor the durations that they report contain the
/// wait. A suite inside one that has the trait needs no trait of its own.
package struct SuiteTurn: SuiteTrait, TestScoping {
  /// In the order in which they begin.
  fileprivate enum Kind: Int, CaseIterable {
    case startsNoProgram
    case startsProgramsForLong
    case startsPrograms
  }

  fileprivate let kind: Kind

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Rooms.shared.enter(kind)
    do {
      let serialized: ParallelizationTrait = .serialized
      try await serialized.provideScope(for: test, testCase: testCase, performing: function)
      await Rooms.shared.leave()
    } catch {
      await Rooms.shared.leave()
      throw error
    }
  }

  private actor Rooms {
    static let shared = Rooms()

    /// As many daemons as the machine carries: more of them leave none of them the processor for as long as a test is ready
    /// to wait. Most of their time they wait themselves.
    private var free = 3 * ProcessInfo.processInfo.activeProcessorCount
    private var waiting = Kind.allCases.map { _ in [CheckedContinuation<Void, Never>]() }
    /// Swift Testing begins all suites at once, in no order: the first turn is given when they have had time to ask for one.
    private let begin = Task { try? await Task.sleep(for: .milliseconds(500)) }

    func enter(_ kind: Kind) async {
      await begin.value
      await withCheckedContinuation {
        waiting[kind.rawValue].append($0)
        admit()
      }
    }

    func leave() {
      free += 1
      admit()
    }

    private func admit() {
      while free > 0, let next = waiting.firstIndex(where: { !$0.isEmpty }) {
        free -= 1
        waiting[next].removeFirst().resume()
      }
    }
  }
}

extension Trait where Self == SuiteTurn {
  /// For suites whose tests start no program.
  package static var inTurn: Self { SuiteTurn(kind: .startsNoProgram) }

  /// For suites whose tests start programs.
  package static var startsPrograms: Self { SuiteTurn(kind: .startsPrograms) }

  /// For the longest of them, which begin early: what begins last is waited for alone.
  package static var startsProgramsForLong: Self { SuiteTurn(kind: .startsProgramsForLong) }
}
