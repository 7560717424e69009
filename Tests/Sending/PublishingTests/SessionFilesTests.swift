import Foundation
import Writing
import Platform
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms) struct SessionFilesTests {
  private let folder = TemporaryFolder()

  private func password(_ path: String, within seconds: Double = 20) throws -> String? {
    var files = SessionFiles(passwordFile: path)
    return try files.read(within: seconds, stop: Wakeup()).password.map { String(decoding: $0, as: UTF8.self) }
  }

  private func failure(_ body: () throws -> Void) -> String? {
    do {
      try body()
    } catch {
      return (error as? BrokerFailure)?.reason
    }
    return nil
  }

  private static let longest = String(repeating: "x", count: 65_535)

  /// It may be as long as MQTT allows.
  @Test(arguments: [
    ("secret\nnot this\n", "secret"), ("secret\r\n", "secret"), ("", ""), (longest, longest),
    (longest + "\nmore", longest),
  ])
  func thePasswordIsTheFirstLine(text: String, expected: String) throws {
    #expect(try password(folder.write(text, to: "password")) == expected)
  }

  @Test(arguments: [longest + "x", "a\0b"]) func whatIsNoPasswordIsRefused(text: String) throws {
    let path = try folder.write(text, to: "password")
    #expect(failure { _ = try password(path) }?.contains("is too long or contains a zero byte") == true)
  }

  @Test func aPasswordIsBytes() throws {
    let path = folder.path("latin-1")
    try Data([0x66, 0xFC, 0x72, 0x0A]).write(to: URL(fileURLWithPath: path))
    var files = SessionFiles(passwordFile: path)
    let bytes = try files.read(within: 20, stop: Wakeup()).password
    #expect(bytes == [0x66, 0xFC, 0x72])
  }

  @Test func aKeyIsShortAndReadableByItsOwnerOnly() throws {
    func key(_ path: String) throws -> PayloadKey? {
      var files = SessionFiles(passwordFile: nil, keyFile: path)
      return try files.read(within: 20, stop: Wakeup()).key
    }
    let path = try folder.write("mysecreTpass01\nnot this\n", to: "key")
    for mode: mode_t in [0o644, 0o660, 0o601] {
      #expect(chmod(path, mode) == 0)
      #expect(failure { _ = try key(path) }?.contains("\(path) is open to others") == true)
    }
    // systemd's credentials have the mode 440 where it uses access lists.
    for mode: mode_t in [0o600, 0o440] {
      #expect(chmod(path, mode) == 0)
      let message = try #require(try key(path)).encrypted(Array("{}".utf8))
      #expect(PayloadKey(Array("mysecreTpass01".utf8))?.decrypted(dataMember(message)) == Array("{}".utf8))
    }
    for text in ["", "\nx", String(repeating: "x", count: 33), "a\0b"] {
      let path = try folder.write(text, to: "bad")
      #expect(chmod(path, 0o600) == 0)
      #expect(failure { _ = try key(path) }?.contains("has no key in its first line") == true)
    }
    let longest = try folder.write(String(repeating: "x", count: 32), to: "longest")
    #expect(chmod(longest, 0o600) == 0)
    #expect(try key(longest) != nil)
  }

  @Test func aPictureIsASmallPNG() throws {
    let path = folder.path("picture")
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for (bytes, isTaken) in [
      (signature, true), (signature + [UInt8](repeating: 0, count: DeviceCard.pictureLimit - 8), true),
      (signature + [UInt8](repeating: 0, count: DeviceCard.pictureLimit - 7), false), ([], false),
      (Array("GIF89a".utf8), false),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      if isTaken {
        #expect(try DeviceCard.picture(path, within: 20) == bytes)
      } else {
        #expect(failure { _ = try DeviceCard.picture(path, within: 20) }?.contains("is not a PNG picture") == true)
      }
    }
    #expect(failure { _ = try DeviceCard.picture("/dev/zero", within: 20) }?.contains("is not a regular file") == true)
  }

  @Test func otherFilesThanRegularOnesAreRefusedAtOnce() throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/zero", folder.path] {
      #expect(failure { _ = try password(path) }?.contains("\(path) is not a regular file") == true)
    }
    #expect(failure { _ = try password("/nowhere") }?.contains("/nowhere cannot be read: No such file") == true)
    var session = PublisherConfiguration(port: 1, usesTLS: true).session
    for key in [\SessionConfiguration.authorities, \.certificate, \.key] {
      var changed = session
      changed[keyPath: key] = pipe
      var files = SessionFiles(changed)
      #expect(failure { try files.read(within: 20, stop: Wakeup()) } == "\(pipe) is not a regular file")
    }
    // Nobody asks for what is not used.
    session.passwordFile = pipe
    var files = SessionFiles(session)
    let nothing = try files.read(within: 20, stop: Wakeup())
    #expect(nothing.password == nil && nothing.key == nil)
  }

  @Test(.mountsStalled) func aHangingFileSystemIsReportedAndDoesNotDelayTheEnd() async throws {
    let mount = try StalledMount()
    let path = mount.file("password")
    #expect(failure { _ = try password(path, within: 0.1) } == "\(path): could not be read within 0.1 s")
    let publisher = try TestPublisher(port: LoopbackSocket.unusedPort()) {
      ($0.session.user, $0.session.passwordFile, $0.session.connectTimeout) = ("ann", path, 0.2)
    }
    #expect(await eventually { publisher.said.contains { $0.contains("could not be read within 0.2 s") } })
    await publisher.end()
    #expect(publisher.statistics.waiting == 1)
    withExtendedLifetime(mount) {}
  }

  @Test(.mountsStalled) func onePieceOfWorkAtATime() throws {
    let mount = try StalledMount()
    var work = BlockingWork<Int32>()
    let path = mount.file("x")
    for _ in 0..<3 {
      #expect(throws: BlockingWorkFailure.timedOut) {
        try work.run(within: 0.05, wakeup: Wakeup()) { access(path, R_OK) }
      }
    }
    #expect(work.isPending)
    let stop = try Wakeup()
    stop.signal()
    #expect(throws: BlockingWorkFailure.stopped) { try work.run(within: 20, wakeup: stop) { 0 } }
  }
}
