import Foundation
import TestSupport
import Testing

@testable import rxlocationd

/// The program, the package, the list of changes and the manual have one version.
@Suite struct VersionTests {
  private let version = RxLocationD.version

  @Test(arguments: [
    ("CHANGELOG.md", "\n## VERSION\n"), ("debian/changelog", "rxlocationd (VERSION) "),
    ("man/rxlocationd.8", "\n.Os rxlocationd VERSION\n"), ("man/rxlocationd.conf.5", "\n.Os rxlocationd VERSION\n"),
  ])
  func everyPlaceSaysIt(file: String, line: String) throws {
    let text = try String(contentsOf: Checkout.file(file), encoding: .utf8)
    #expect(text.contains(line.replacing("VERSION", with: version)))
  }

  @Test func theNewestChangesAreThisVersions() throws {
    let changes = try String(contentsOf: Checkout.file("CHANGELOG.md"), encoding: .utf8)
    #expect(changes.split(separator: "\n").first { $0.hasPrefix("## ") } == "## \(version)")
  }
}
