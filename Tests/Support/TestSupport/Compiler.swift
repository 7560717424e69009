import Foundation

/// An error or a warning of the compiler.
public struct CompilerMessage: Hashable, Sendable {
  /// The line of the program, from 1.
  public let line: Int
  /// What the compiler says.
  public let message: String

  /// Creates a message.
  public init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// What the compiler says about `program`, which may import the modules that this test was built with; `nil` where there
/// is no compiler.
public func compilerMessages(about program: String) throws -> [CompilerMessage]? {
  let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: "main.swift")
  try program.write(to: file, atomically: true, encoding: .utf8)

  let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
  let compiler = Process()
  compiler.executableURL = URL(filePath: "/usr/bin/env")
  compiler.arguments =
    ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", modules.path, file.path]
  let output = Pipe()
  compiler.standardError = output
  try compiler.run()
  let text = try output.fileHandleForReading.readToEnd() ?? Data()
  compiler.waitUntilExit()
  if compiler.terminationStatus == 127 { return nil }

  return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
    guard let match = line.wholeMatch(of: /.*main\.swift:(\d+):\d+: (?:error|warning): (.*)/) else { return nil }
    return CompilerMessage(line: Int(match.1) ?? 0, message: String(match.2))
  }
}
