import Foundation
import NMEA
import Testing

/// What cannot be played is refused before anything runs, with the input, the reason and the status.
@MainActor
@Suite struct NMEAInputTests {
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("nmea-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func path(_ name: String, _ bytes: [UInt8]) throws -> String {
    let url = directory.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    return url.path
  }

  private func failure(_ path: String, loop: Bool = false) -> NMEASourceError? {
    do {
      _ = try NMEASource.open([path], loop: loop)
      return nil
    } catch {
      return error
    }
  }

  @Test func opensAFile() throws {
    let path = try path("drive.nmea", Array("$GPGGA".utf8))
    let inputs = try NMEASource.open([path, path])
    #expect(inputs.map(\.device) == ["drive.nmea", "drive.nmea"])
    #expect(inputs.map(\.name) == [path, path])
  }

  @Test func missing() {
    let path = directory.appendingPathComponent("nothing").path
    #expect(failure(path)?.reason == .notFound)
    #expect(failure(path)?.exitStatus == 66)
    #expect(failure(path)?.description == "\(path): no such file")
  }

  @Test func directoryIsNoRecording() {
    #expect(failure(directory.path)?.reason == .isDirectory)
    #expect(failure(directory.path)?.exitStatus == 66)
  }

  @Test func empty() throws {
    let path = try path("empty", [])
    #expect(failure(path)?.reason == .empty)
    #expect(failure(path)?.exitStatus == 66)
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 0x08, 0x00, 0x00], "zcat"), ([0x28, 0xB5, 0x2F, 0xFD, 0x00], "zstdcat"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xzcat"), ([0x42, 0x5A, 0x68, 0x39, 0x31], "bzcat"),
    ] as [([UInt8], String)])
  func compressed(_ head: [UInt8], _ tool: String) throws {
    let path = try path("drive.gz", head)
    #expect(failure(path)?.reason == .compressed(decompressor: tool))
    #expect(failure(path)?.exitStatus == 65)
    #expect(failure(path)?.description.contains("\(tool) \(path) |") == true)
  }

  @Test func unreadable() throws {
    // Root reads everything; below a file there is nothing for anybody.
    let path = try path("file", [1]) + "/below"
    #expect(failure(path)?.exitStatus == 66)
    if case .notReadable? = failure(path)?.reason {} else { Issue.record("\(String(describing: failure(path)))") }
  }

  @Test func streamsCannotBeRepeated() {
    #expect(failure("/dev/null", loop: true)?.reason == .notRepeatable)
    #expect(failure("/dev/null", loop: true)?.exitStatus == 64)
  }
}
