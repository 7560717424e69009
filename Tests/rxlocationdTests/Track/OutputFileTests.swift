import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import rxlocationd

/// A document's file, whatever becomes of its place meanwhile.
@Suite struct OutputFileTests {
  @Test func whatCannotGetItsNameIsNotLeftBehind() throws {
    let folder = try TemporaryFolder()
    let file = try OutputFile(path: folder.path("drive.csv"))
    try FileManager.default.createDirectory(atPath: folder.path("drive.csv"), withIntermediateDirectories: true)
    #expect(throws: Errno.isDirectory) { try file.finish() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.csv"])
  }
}
