import Foundation
import TestSupport

/// A page of a documentation catalogue, with the Swift samples in it.
struct DocumentationPage {
  let name: String
  /// The samples, one by one.
  let samples: [String]
  /// The samples in one program. Its lines have the numbers that they have in the page; all others are empty.
  let program: String
  /// What the page says that the compiler refuses: lines that end in `// ✗ message`.
  let refusals: [CompilerMessage]

  init(at url: URL) throws {
    name = url.deletingPathExtension().lastPathComponent
    var isSample = false
    var lines: [Substring] = []
    var refusals: [CompilerMessage] = []
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
        refusals.append(CompilerMessage(line: lines.count, message: String(line[mark.upperBound...])))
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
    // RxMacrosTests has the samples of the macro's page, which do not compile without the trait.
    .filter { $0.pathExtension == "md" && $0.lastPathComponent != "MacroForDelegateProxies.md" }
    .map(DocumentationPage.init)
  }
}
