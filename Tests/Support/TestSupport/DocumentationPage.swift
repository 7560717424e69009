import Foundation

/// A page of the documentation, with the Swift samples in it.
public struct DocumentationPage: Sendable, CustomStringConvertible {
  /// The samples of a page that belong together.
  public struct Program: Sendable {
    /// Whether it is a package's manifest.
    public let isManifest: Bool
    /// Its lines have the numbers that they have in the page; all others are empty.
    public let text: String

    private func notes(after mark: String) -> [CompilerMessage] {
      text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
        line.range(of: mark).map { CompilerMessage(line: index + 1, message: String(line[$0.upperBound...])) }
      }
    }

    /// What the page says that the compiler refuses: lines that end in `// ✗ message`.
    public var refusals: [CompilerMessage] { notes(after: "// ✗ ") }
    /// What the page says that it prints: lines that end in `// prints text`.
    public var prints: [String] { notes(after: "// prints ").map(\.message) }
  }

  /// The page's path from the root of the checkout.
  public let path: String
  /// The samples, one by one.
  public let samples: [String]
  /// The samples as the programs that they make: those of a page are one, but for a package's manifest, which is one of
  /// its own and ends what is before it.
  public let programs: [Program]

  /// The path.
  public var description: String { path }

  /// Reads the page at a path from the root of the checkout.
  public init(_ path: String) throws {
    self.path = path
    var samples: [(line: Int, text: String)] = []
    var isSample = false
    let text = try String(contentsOf: Checkout.file(path), encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        isSample = !isSample && line == "```swift"
        if isSample { samples.append((index + 1, "")) }
      } else if isSample {
        samples[samples.count - 1].text += line + "\n"
      }
    }
    self.samples = samples.map(\.text)

    var programs: [Program] = []
    for (line, sample) in samples {
      let isManifest = sample.contains("import PackageDescription")
      var before = ""
      if let last = programs.last, !last.isManifest, !isManifest { before = programs.removeLast().text }
      let gap = String(repeating: "\n", count: line - before.count { $0 == "\n" })
      programs.append(Program(isManifest: isManifest, text: before + gap + sample))
    }
    self.programs = programs
  }

  /// README.md and the pages of the package's catalogues that have samples.
  public static func all() throws -> [DocumentationPage] {
    let names = FileManager.default.enumerator(atPath: Checkout.file("Sources").path)?.compactMap { $0 as? String }
    let articles = (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "Sources/" + $0 }
    return try (["README.md"] + articles).map { try DocumentationPage($0) }.filter { !$0.samples.isEmpty }
  }
}
