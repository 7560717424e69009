import Foundation
import TestSupport

/// Other programs that tests compare with.
extension Command {
  static func exists(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The bytes that gzip(1), which is on every Debian, makes of others.
  static func gzip(_ plain: [UInt8]) throws -> [UInt8] { try output("/bin/gzip", ["-c"], input: plain) }

  /// The python3 that has a module, of those in the usual places.
  static func python(with module: String) -> String? {
    ["/usr/bin/python3", "/usr/local/bin/python3"].first {
      (try? output($0, ["-c", "import importlib.util as u, sys; sys.exit(u.find_spec('\(module)') is None)"])) != nil
    }
  }
}
