import Foundation
import TestSupport
import Testing

@testable import rxlocationd

/// The program, the package, the list of changes and the manual have one version.
@Suite(.inTurn) struct VersionTests {
  private let version = RxLocationD.version

  @Test(arguments: [
    ("CHANGELOG.md", "\n## VERSION\n"), ("debian/changelog", "rxlocationd (VERSION) "),
    ("man/rxlocationd.8", "\n.Os rxlocationd VERSION\n"), ("man/rxlocationd.conf.5", "\n.Os rxlocationd VERSION\n"),
  ])
  func everyPlaceSaysIt(file: String, line: String) throws {
    let text = try String(contentsOf: Checkout.file(file), encoding: .utf8)
    #expect(text.contains(line.replacing("VERSION", with: version)))
  }

  @Test func itsDateIsThePackages() throws {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    let text = try String(contentsOf: Checkout.file("debian/changelog"), encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(" -- ") }
    let date = line?.firstRange(of: ">  ").flatMap { format.date(from: String(line?[$0.upperBound...] ?? "")) }
    #expect(date == RxLocationD.released)
  }

  @Test func theNewestReleaseIsThisVersion() throws {
    let changes = try String(contentsOf: Checkout.file("CHANGELOG.md"), encoding: .utf8)
    let releases = changes.split(separator: "\n").filter { $0.hasPrefix("## ") && $0 != "## Unreleased" }
    #expect(releases.first == "## \(version)")
  }
}
