import Foundation
import TestSupport
import Testing

/// Samples of the documentation that do what their page says.
@Suite struct DocumentationSamplesTests {
  /// What is tested is what is written: the samples that have tests here are these, word for word.
  @Test func testedSamplesAreThoseOfThePages() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let examples = try ["DialExample.swift", "MarbleExamples.swift"]
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    let samples = try DocumentationPage.all().flatMap { page in
      page.path.hasSuffix("/ObjectsOfYourOwn.md")
        ? page.samples.dropLast() : page.samples.filter { $0.contains("@Test") }[...]
    }
    #expect(samples.count == 10)
    for sample in samples {
      let code = sample.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("import ") }
        .joined(separator: "\n").trimmingCharacters(in: .newlines)
      #expect(examples.contains(code), "not tested as it is written:\n\(sample)")
    }
  }
}
