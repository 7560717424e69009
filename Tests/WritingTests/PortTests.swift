import Foundation
import Glibc
import Platform
import Records
import TestSupport
import Testing

@testable import Writing

@Suite(.inTurn) struct PortTests {
  private let folder = TemporaryFolder()
  private let notices = Recorder<OutputNotice>()
  private var link: String { folder.path("gps") }

  private func terminal(_ mode: OutboxMode = .live, limit: Int = 8 << 10) throws -> RecordStream {
    try RecordStream(
      to: PseudoTerminal(link: link, mode: 0o640, group: nil), mode: mode, limit: limit,
      onNotice: { notices.record($0) })
  }

  /// What a program reads from the port until it ends with `end`.
  private func read(_ port: Int32, until end: String) async -> String {
    var (text, bytes) = ("", [UInt8](repeating: 0, count: 4096))
    _ = await eventually {
      let count = Glibc.read(port, &bytes, bytes.count)
      if count > 0 { text += String(decoding: bytes[..<count], as: UTF8.self) }
      return text.hasSuffix(end)
    }
    return text
  }

  private func open(_ flags: Int32 = O_NONBLOCK) throws -> Int32 {
    let port = Glibc.open(link, O_RDWR | O_NOCTTY | flags)
    try #require(port >= 0)
    return port
  }

  @Test func isARawSerialPort() async throws {
    let stream = try terminal()
    var status = stat()
    #expect(stat(link, &status) == 0 && status.st_mode & 0o777 == 0o640 && status.st_mode & S_IFMT == S_IFCHR)
    let port = try open()
    defer { close(port) }
    var settings = termios()
    #expect(tcgetattr(port, &settings) == 0)
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0 && settings.c_oflag & tcflag_t(OPOST) == 0)
    #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    for speed in [B4800, B115200] {
      cfsetspeed(&settings, speed_t(speed))
      #expect(tcsetattr(port, TCSADRAIN, &settings) == 0)
    }
    // More bytes than the system would keep: they are read all the time, and not echoed.
    let commands = [UInt8](repeating: 0x55, count: 1000)
    for _ in 0..<300 { #expect(await eventually { write(port, commands, commands.count) == commands.count }) }
    stream.append(Array("$GPRMC,1\r\n\u{3}\u{11}é\r\n".utf8))
    #expect(await read(port, until: "é\r\n") == "$GPRMC,1\r\n\u{3}\u{11}é\r\n")
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics.account.isSettled && lstat(link, &status) != 0)
  }

  @Test func aReaderThatStopsMissesWholeSentences() async throws {
    let stream = try terminal()
    let port = try open()
    defer { close(port) }
    let sentence = { (number: Int) in "$GP\(number)," + String(repeating: "x", count: 900) + "*\r\n" }
    for number in 0..<300 { stream.append(Array(sentence(number).utf8)) }
    #expect(await eventually { stream.statistics.account.lost > 0 })
    #expect(stream.statistics.account.accepted == 300)
    // It reads again, and finds no part of a sentence.
    let text = await Task { await read(port, until: sentence(299)) }.value
    for line in text.split(separator: "\r\n") {
      #expect(line.count > 900 && line.hasPrefix("$GP") && line.hasSuffix("*"))
    }
    #expect(
      await eventually {
        let account = stream.statistics.account
        return text.split(separator: "\r\n").count == account.written && account.written + account.lost == 300
      })
    await stream.finish()
  }

  @Test func theNextProgramFindsAFreshPort() async throws {
    let stream = try terminal()
    stream.append(Array("nobody\r\n".utf8))
    #expect(await eventually { stream.statistics.account.written == 1 })
    var port = try open()
    stream.append(Array("unread\r\n".utf8))
    #expect(await eventually { stream.statistics.account.written == 2 })
    var settings = termios()
    tcgetattr(port, &settings)
    settings.c_lflag |= tcflag_t(ICANON | ECHO)
    tcsetattr(port, TCSANOW, &settings)
    close(port)
    // The port is cleared while nobody has it open.
    #expect(
      await eventually {
        port = Glibc.open(link, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(port) }
        var settings = termios()
        return tcgetattr(port, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
      })
    port = try open()
    defer { close(port) }
    stream.append(Array("new\r\n".utf8))
    #expect(await read(port, until: "\r\n") == "new\r\n")
    await stream.finish()
    // The program learns of the end.
    var byte: UInt8 = 0
    #expect(
      await eventually {
        let count = Glibc.read(port, &byte, 1)
        return count == 0 || count < 0 && errno == EIO
      })
  }

  @Test func aReplayWaitsForItsReader() async throws {
    let stream = try terminal(.replay, limit: 2000)
    let port = try open()
    defer { close(port) }
    let writer = Foundation.Thread {
      for number in 0..<500 { stream.append(Array(("\(number)," + String(repeating: "x", count: 500) + "\n").utf8)) }
      stream.append(Array("end\n".utf8))
    }
    writer.start()
    let lines = await read(port, until: "end\n").split(separator: "\n")
    #expect(lines.count == 501 && lines.prefix(500).enumerated().allSatisfy { $1.hasPrefix("\($0),") })
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics.account.isSettled)
  }

  @Test func replacesOnlyItsOwnLink() async throws {
    #expect(symlink("/dev/pts/999999", link) == 0)
    let stream = try terminal()
    var status = stat()
    #expect(stat(link, &status) == 0)
    let second = #expect(throws: OutputError.self) { try terminal() }
    #expect(second?.message == "NMEA pty:\(link) is used by another rxlocationd; end that, or choose another path")
    #expect(stat(link, &status) == 0)
    // Another program has put its own link there meanwhile.
    unlink(link)
    symlink("/dev/null", link)
    await stream.finish()
    #expect(lstat(link, &status) == 0)
    let error = #expect(throws: OutputError.self) { try terminal() }
    #expect(error?.message == "NMEA pty:\(link) exists and is no link to a terminal; remove it, or choose another path")
    #expect(throws: OutputError.self) { try PseudoTerminal.check(folder.path("none/gps")) }
    unlink(link)
    await (try terminal()).finish()
    #expect(lstat(link, &status) != 0 && lstat(link + ".lock", &status) != 0)
  }

  // MARK: Datagrams

  private static func receiver(_ family: Int32, _ host: String) throws -> (socket: Int32, port: UInt16) {
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let address = try ResolvedAddress.all(of: Endpoint(host: host, port: 0), isNumeric: true)[0]
    try #require(address.withSocketAddress { bind(descriptor, $0, $1) } == 0)
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let port = withUnsafeMutablePointer(to: &storage) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
    return (descriptor, port)
  }

  @Test(arguments: [
    (AF_INET, "127.0.0.1", "127.0.0.1"), (AF_INET, "0.0.0.0", "127.255.255.255"), (AF_INET6, "::1", "::1"),
    (AF_INET, "127.0.0.1", "localhost"),
  ])
  func sendsOneEpochADatagram(family: Int32, bound: String, host: String) async throws {
    let (socket, port) = try Self.receiver(family, bound)
    defer { close(socket) }
    let address = try ResolvedAddress.all(of: Endpoint(host: host, port: port))
    if address.first?.family != family { return }
    let stream = try RecordStream(
      to: Datagrams(to: Endpoint(host: host, port: port)), mode: .live, limit: 1 << 20, onNotice: { notices.record($0) }
    )
    let epochs = (0..<50).map { number in
      Array(("$GPRMC,\(number)\r\n$GPGGA," + String(repeating: "x", count: 40 * number) + "\r\n").utf8)
    }
    for epoch in epochs { stream.append(epoch) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    for epoch in epochs {
      var count = -1
      _ = await eventually {
        count = recv(socket, &bytes, bytes.count, 0)
        return count >= 0
      }
      #expect(Array(bytes[..<max(0, count)]) == epoch)
    }
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics.account.isSettled && notices.values.isEmpty)
  }

  @Test func saysWhyItCannotSend() async throws {
    let stream = try RecordStream(
      to: Datagrams(to: Endpoint(host: "no-such-host.invalid", port: 9)), mode: .live, limit: 100,
      onNotice: { notices.record($0) })
    for number in 0..<50 { stream.append(Array("$GPRMC,\(number)\r\n".utf8)) }
    #expect(
      await eventually {
        notices.values.contains {
          $0.message.hasPrefix("NMEA udp:no-such-host.invalid:9 cannot be sent: cannot look up 'no-such-host.invalid'")
        }
      }, "\(notices.values)")
    stream.cancel()
    await stream.finish()
    #expect(stream.statistics.account.lost == 50)
  }
}
