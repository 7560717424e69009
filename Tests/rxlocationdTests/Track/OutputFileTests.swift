import Foundation
import Records
import SystemPackage
import TestSupport
import Testing

@testable import rxlocationd

/// A document's file, whatever becomes of its place meanwhile.
@Suite(.inTurn) struct OutputFileTests {
  @Test func whatCannotGetItsNameIsNotLeftBehind() throws {
    let folder = TemporaryFolder()
    let file = try OutputFile(path: folder.path("drive.csv"))
    try FileManager.default.createDirectory(atPath: folder.path("drive.csv"), withIntermediateDirectories: true)
    #expect(throws: Errno.isDirectory) { try file.finish() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.csv"])
  }

  @Test(arguments: ["symbolic", "hard", "dangling"]) func aLinkIsReplacedAndItsTargetStays(_ kind: String) throws {
    let folder = TemporaryFolder()
    let (path, target) = (folder.path("link.csv"), folder.path("recording.nmea"))
    if kind != "dangling" { _ = try folder.write("old", to: "recording.nmea") }
    if kind == "hard" { link(target, path) } else { symlink("recording.nmea", path) }
    var buffer = RecordBuffer()
    buffer.append("new")
    let file = try OutputFile(path: path)
    try file.write(buffer)
    try file.finish()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    #expect((try? String(contentsOfFile: target, encoding: .utf8)) == (kind == "dangling" ? nil : "old"))
  }
}
