import Foundation

/// Python, where other people's readers of messages are.
enum Python {
  /// Whether a module is there.
  static func has(_ module: String) -> Bool { (try? run("import \(module)")) == "" }

  /// Runs a program, and returns all that it prints.
  static func run(_ program: String, _ arguments: [String] = [], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program] + arguments
    let (standardInput, output) = (Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = output
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
