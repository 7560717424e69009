import TestSupport
import Writing

@testable import Journal

extension JournalWriter {
  /// Waits until everything that was appended is committed, or cannot be just now.
  func flush() async {
    _ = await eventually { isIdle || statistics.isFailing }
  }
}

extension JournalWriter.End {
  /// Why it failed; `nil` if it did not.
  var failure: JournalError? { if case .failed(let error) = self { error } else { nil } }
}
