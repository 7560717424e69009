import TestSupport

@testable import Journal

extension JournalWriter {
  /// Waits until everything that was appended is committed, or cannot be just now.
  func flush() async {
    _ = await eventually { isIdle || statistics.isFailing }
  }
}
