import Foundation
import Testing

/// A folder for one test, removed with it.
package final class TemporaryFolder: Sendable {
  package let path = NSTemporaryDirectory() + "rxlocationd-test-\(UUID().uuidString.prefix(8))"

  /// Creates it, or fails the test, which could do nothing if this threw either.
  package init() {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      Issue.record(error, "no temporary folder")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package var url: URL { URL(fileURLWithPath: path) }
  package func file(_ name: String) -> String { path + "/" + name }
  package func path(_ name: String) -> String { file(name) }

  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}
