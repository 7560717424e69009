import Foundation
import TestSupport

/// Other programs that tests compare with.
enum Command {
  /// Whether there is such a program.
  static func exists(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The bytes that gzip(1), which is on every Debian, makes of others.
  static func gzip(_ plain: [UInt8]) throws -> [UInt8] { try output("/bin/gzip", ["-c"], input: plain) }

  /// The python3 that has a module, of those in the usual places.
  static func python(with module: String) -> String? {
    ["/usr/bin/python3", "/usr/local/bin/python3"].first {
      (try? output($0, ["-c", "import importlib.util as u, sys; sys.exit(u.find_spec('\(module)') is None)"])) != nil
    }
  }

  /// What a program writes to standard output.
  static func output(_ path: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try Data(input).write(to: URL(filePath: folder.file("in")))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.file("in")))
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw SupportError("\(path) ended with \(process.terminationStatus)") }
    return [UInt8](data)
  }
}
