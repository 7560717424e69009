import Foundation

/// A page of a documentation catalogue, with the Swift samples in it.
struct DocumentationPage {
  /// A message of the compiler, or one that the page says there is.
  struct Diagnostic: Hashable {
    let line: Int
    let message: String
  }

  let name: String
  /// The samples, one by one.
  let samples: [String]
  /// The samples in one program. Its lines have the numbers that they have in the page; all others are empty.
  let program: String
  /// What the page says that the compiler refuses: lines that end in `// ✗ message`.
  let refusals: [Diagnostic]

  init(at url: URL) throws {
    name = url.deletingPathExtension().lastPathComponent
    var isSample = false
    var lines: [Substring] = []
    var refusals: [Diagnostic] = []
    var samples: [String] = []
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isSample = line == "```swift"
        if isSample { samples.append("") }
        lines.append("")
        continue
      }
      lines.append(isSample ? line : "")
      if isSample { samples[samples.count - 1] += line + "\n" }
      if isSample, let mark = line.range(of: "// ✗ ") {
        refusals.append(Diagnostic(line: lines.count, message: String(line[mark.upperBound...])))
      }
    }
    program = lines.joined(separator: "\n")
    self.refusals = refusals
    self.samples = samples
  }

  /// The pages of the package's catalogues.
  static func all() throws -> [DocumentationPage] {
    let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
    let catalogues = ["Sources/Reactive/Rx/Rx.docc", "Sources/Reactive/RxBinding/RxBinding.docc"]
    return try catalogues.flatMap { catalogue in
      try FileManager.default.contentsOfDirectory(
        at: root.appending(path: catalogue), includingPropertiesForKeys: nil)
    }
    .filter { $0.pathExtension == "md" }
    .map(DocumentationPage.init)
  }

  /// What the compiler says about the samples, errors and warnings, with the modules that this test was built with;
  /// `nil` where there is no compiler.
  func diagnostics() throws -> [Diagnostic]? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "main.swift")
    try program.write(to: file, atomically: true, encoding: .utf8)

    let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
    let headers = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Sources/Reactive/CSwiftRuntime").standardized
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm"]
      + ["-I", modules.path, "-I", headers.path, file.path]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    compiler.waitUntilExit()
    if compiler.terminationStatus == 127 { return nil }

    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      guard let match = line.wholeMatch(of: /.*main\.swift:(\d+):\d+: (?:error|warning): (.*)/) else { return nil }
      return Diagnostic(line: Int(match.1) ?? 0, message: String(match.2))
    }
  }
}
