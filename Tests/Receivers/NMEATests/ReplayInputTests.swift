import Foundation
import NMEA
import Replay
import SystemPackage
import TestSupport
import Testing

/// What cannot be played is refused before anything runs, with the input and the reason.
@MainActor @Suite(.inTurn) struct ReplayInputTests {
  private let folder = TemporaryFolder()

  private func path(_ name: String, _ bytes: [UInt8] = Array("$GPGGA".utf8)) throws -> String {
    try Data(bytes).write(to: folder.url.appending(path: name))
    return folder.path(name)
  }

  private func failure(_ path: String, loop: Bool = false) -> ReplayError? {
    do {
      _ = try NMEASource.open([FilePath(path)], loop: loop)
      return nil
    } catch {
      return error
    }
  }

  @Test func opensFiles() throws {
    let path = try path("drive.nmea")
    for inputs in [try NMEASource.open([FilePath(path), FilePath(path)]), try NMEASource.open([path, path])] {
      #expect(inputs.map(\.device) == ["drive.nmea", "drive.nmea"])
      #expect(inputs.map(\.name) == [path, path])
    }
    let error = #expect(throws: ReplayError.self) { try NMEASource.open([path, path + ".gz"]) }
    #expect(error == ReplayError(input: path + ".gz", reason: .notFound))
  }

  @Test(
    arguments: [
      ([0x28, 0xB5, 0x2F, 0xFD, 0x00], "zstdcat"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xzcat"),
      ([0x42, 0x5A, 0x68, 0x39, 0x31], "bzcat"),
    ] as [([UInt8], String)])
  func compressed(_ head: [UInt8], _ tool: String) throws {
    let path = try path("drive.gz", head)
    #expect(failure(path)?.reason == .compressed(decompressor: tool))
    #expect(failure(path)?.description == "\(path): is compressed; \(tool) decompresses it")
  }

  @Test func whatCannotBePlayedSaysWhy() throws {
    let missing = folder.path("nothing")
    #expect(failure(missing)?.description == "\(missing): no such file")
    #expect(failure(folder.path)?.reason == .isDirectory)
    #expect(failure(try path("empty", []))?.reason == .empty)
    #expect(failure("/dev/null", loop: true)?.reason == .notRepeatable)
    // Root reads everything; below a file there is nothing for anybody.
    let below = failure(try path("file") + "/below")?.reason
    if case .notReadable? = below {} else { Issue.record("\(String(describing: below))") }
  }

  @Test func manyFilesNeedNoDescriptorEach() throws {
    let path = try path("drive.nmea")
    let inputs = try NMEASource.open(Array(repeating: FilePath(path), count: 64))
    #expect(inputs.count == 64)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    #expect(
      !descriptors.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      })
  }

  @Test func aNameMayHaveAnyBytes() throws {
    // "straße.nmea" in Latin-1 is no UTF-8.
    let bytes = Array(folder.path.utf8) + Array("/stra".utf8) + [0xDF] + Array("e.nmea".utf8)
    let path = (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { FilePath(platformString: $0.baseAddress!) }
    }
    let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll("$GPGGA".utf8) }
    let input = try ReplayInput.open(path: path)
    #expect(input.device == "stra\u{FFFD}e.nmea")
  }
}
