import Foundation

/// A folder for one test, removed with it.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let path: String

  /// Creates it under the system's folder for such.
  public init() throws {
    path = NSTemporaryDirectory() + "rxlocationd-test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The folder as a URL.
  public var url: URL { URL(fileURLWithPath: path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// The path of a file in it.
  public func path(_ name: String) -> String { file(name) }

  /// Writes a file and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}
