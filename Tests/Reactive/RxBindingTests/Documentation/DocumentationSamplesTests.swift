import Foundation
import TestSupport
import XCTest

/// The samples of the documentation compile, but for the lines that the page marks as refused; these are refused for
/// the reason it gives.
final class DocumentationSamplesTests: XCTestCase {
  func testSamplesCompileAndRefusalsHold() throws {
    let pages = try DocumentationPage.all().filter { !$0.program.allSatisfy(\.isNewline) }
    XCTAssertGreaterThanOrEqual(pages.count, 5)
    XCTAssertGreaterThanOrEqual(pages.flatMap(\.refusals).count, 8)

    for page in pages {
      guard let diagnostics = try compilerMessages(about: page.program) else { throw XCTSkip("there is no compiler") }
      for refusal in page.refusals {
        XCTAssertTrue(
          diagnostics.contains { $0.line == refusal.line && $0.message.contains(refusal.message) },
          "\(page.name):\(refusal.line) is not refused with: \(refusal.message)")
      }
      for diagnostic in diagnostics where !page.refusals.contains(where: { $0.line == diagnostic.line }) {
        XCTFail("\(page.name):\(diagnostic.line): \(diagnostic.message)")
      }
    }
  }

  /// What is tested is what is written: the samples that have tests here are these, word for word.
  func testTestedSamplesAreThoseOfThePages() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let examples = try ["DialExample.swift", "MarbleExamples.swift"]
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    let samples = try DocumentationPage.all().flatMap { page in
      page.name == "ObjectsOfYourOwn" ? page.samples.dropLast() : page.samples.filter { $0.contains("@Test") }[...]
    }
    XCTAssertEqual(samples.count, 9)
    for sample in samples {
      let code = sample.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("import ") }
        .joined(separator: "\n").trimmingCharacters(in: .newlines)
      XCTAssertTrue(examples.contains(code), "not tested as it is written:\n\(sample)")
    }
  }
}
