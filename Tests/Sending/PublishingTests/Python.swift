import TestSupport

/// Python, where other people's readers of messages are.
enum Python {
  static func has(_ module: String) -> Bool { (try? run("import \(module)")) == "" }

  /// Runs a program, and returns all that it prints.
  static func run(_ program: String, _ arguments: [String] = [], input: String = "") throws -> String {
    let words = ["python3", "-c", program] + arguments
    return String(
      decoding: try TestSupport.Command.output("/usr/bin/env", words, input: Array(input.utf8), withErrors: true),
      as: UTF8.self)
  }
}
