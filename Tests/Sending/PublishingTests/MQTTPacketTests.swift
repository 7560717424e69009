import Writing
import Platform
import TestSupport
import Testing

@testable import Publishing

/// What a broker may send, byte by byte.
@Suite(.inTurn) struct MQTTPacketTests {
  private static func decode(
    _ bytes: [UInt8], _ version: MQTTVersion, in pieces: Int = .max
  ) throws(MQTTBreach) -> [MQTTPacket] {
    var decoder = MQTTDecoder(version)
    var packets: [MQTTPacket] = []
    var rest = bytes[...]
    repeat {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { decoder.append($0) }
      while let packet = try decoder.next() { packets.append(packet) }
    } while !rest.isEmpty
    return packets
  }

  private static let limits: MQTTLimits = {
    var limits = MQTTLimits()
    (limits.keepAlive, limits.inFlight, limits.packet) = (10, 3, 400)
    (limits.acknowledgesMessages, limits.retainsMessages) = (false, false)
    return limits
  }()
  private static let properties: [UInt8] = [
    0x13, 0, 10, 0x21, 0, 3, 0x24, 0, 0x25, 0, 0x27, 0, 0, 1, 0x90, 0x1F, 0, 2, 0x6E, 0x6F, 0x26, 0, 1, 0x61, 0, 1,
    0x62,
    0x11, 0, 0, 0, 9, 0x22, 0, 9, 0x28, 1,
  ]

  /// Packets of every type that a broker may send, and what they are.
  private static let known: [(bytes: [UInt8], version: MQTTVersion, packet: MQTTPacket)] = [
    ([0x20, 2, 0, 0], .v311, .connected(reason: 0, MQTTLimits())),
    ([0x20, 2, 1, 5], .v311, .connected(reason: 0x87, MQTTLimits())),
    ([0x20, 2, 0, 99], .v311, .connected(reason: 0x80, MQTTLimits())),
    ([0x20, 3, 0, 0x86, 0], .v5, .connected(reason: 0x86, MQTTLimits())),
    ([0x20, 2, 0, 1], .v5, .connected(reason: 0x84, MQTTLimits())),
    (
      [0x20, UInt8(properties.count + 3), 0, 0, UInt8(properties.count)] + properties, .v5,
      .connected(reason: 0, limits)
    ),
    (
      [0x31, 5, 0, 1, 0x74, 0x68, 0x69], .v311,
      .message(topic: "t", payload: [0x68, 0x69], isRetained: true, identifier: nil)
    ),
    ([0x3A, 5, 0, 1, 0x74, 1, 2], .v311, .message(topic: "t", payload: [], isRetained: false, identifier: 258)),
    (
      [0x32, 9, 0, 1, 0x74, 0, 7, 2, 0x01, 0x01, 0x68], .v5,
      .message(topic: "t", payload: [0x68], isRetained: false, identifier: 7)
    ),
    ([0x40, 2, 1, 0], .v311, .acknowledged(identifier: 256, reason: 0)),
    ([0x40, 2, 1, 0], .v5, .acknowledged(identifier: 256, reason: 0)),
    ([0x40, 4, 0, 9, 0x87, 0], .v5, .acknowledged(identifier: 9, reason: 0x87)),
    ([0x90, 3, 0, 1, 1], .v311, .subscribed(isGranted: true)),
    ([0x90, 5, 0, 1, 0, 1, 0x87], .v5, .subscribed(isGranted: false)),
    ([0x90, 2, 0, 1], .v311, .subscribed(isGranted: false)),
    ([0x90, 3, 0, 1, 3], .v311, .subscribed(isGranted: false)),
    ([0x90, 4, 0, 1, 1, 1], .v311, .subscribed(isGranted: false)),
    ([0xE0, 1, 0x8E], .v5, .disconnected(reason: 0x8E)),
    ([0xD0, 0], .v311, .pong),
    ([0xE0, 0], .v5, .disconnected(reason: 0)),
    ([0xE0, 2, 0x8E, 0], .v5, .disconnected(reason: 0x8E)),
  ]

  @Test(arguments: [1, 2, 3, Int.max]) func packetsOfEveryTypeAreReadInPieces(size: Int) throws {
    for (bytes, version, packet) in Self.known {
      #expect(try Self.decode(bytes + bytes, version, in: size) == [packet, packet])
    }
  }

  @Test(
    arguments: [
      // The properties that libmosquitto 2.0.11 does not know, in a first answer; a property without its value.
      ([0x20, 5, 0, 0, 2, 0x7F, 0], .v5), ([0x20, 5, 0, 0, 2, 0x13, 0], .v5), ([0x20, 4, 0, 0, 9, 0], .v5),
      // A window, and a packet, of nothing.
      ([0x20, 6, 0, 0, 3, 0x21, 0, 0], .v5), ([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 0], .v5), ([0x20, 2, 0, 0], .v5),
      ([0x20, 1, 0], .v311), ([0x20, 0], .v311),
      // Lengths that are too long, in the header and in a text; a zero byte, and bytes that are not UTF-8.
      ([0x32, 0xFF, 0xFF, 0xFF, 0xFF, 1], .v311), ([0x30, 3, 0, 9, 0x74], .v311), ([0x30, 3, 0, 1, 0], .v311),
      ([0x30, 3, 0, 1, 0xFF], .v311), ([0x30, 4, 0, 1, 0x74, 0xFF], .v5),
      ([0x30, 8, 0, 1, 0x74, 0xFF, 0xFF, 0xFF, 0xFF, 1], .v5),
      // No topic, no number, quality of service 2 and 3.
      ([0x30, 2, 0, 0], .v311), ([0x32, 5, 0, 1, 0x74, 0, 0], .v311), ([0x34, 5, 0, 1, 0x74, 0, 1], .v311),
      ([0x36, 5, 0, 1, 0x74, 0, 1], .v311), ([0x40, 1, 0], .v311), ([0x90, 1, 0], .v311), ([0x90, 3, 0, 1, 9], .v5),
      // Bytes behind the end of a packet, a reason that is none, and the number 0.
      ([0x20, 3, 0, 0, 0], .v311), ([0x20, 4, 0, 0, 0, 0], .v5), ([0x20, 3, 0, 1, 0], .v5),
      ([0x40, 3, 0, 1, 0], .v311),
      ([0x40, 5, 0, 1, 0, 0, 0], .v5), ([0x40, 4, 0, 1, 0, 9], .v5), ([0x40, 2, 0, 0], .v311), ([0x40, 2, 0, 0], .v5),
      ([0xD0, 1, 0], .v311), ([0xE0, 2, 0, 3], .v5),
      // Packets for a broker, of the newer version, and long ones of another type.
      ([0x10, 0], .v5), ([0x50, 2, 0, 1], .v5), ([0x82, 2, 0, 1], .v5), ([0xC0, 0], .v5), ([0xE0, 0], .v311),
      ([0xF0, 0], .v5),
      ([0x00, 0], .v5), ([0x40, 0xFF, 0xFF, 0xFF, 0x7F, 0], .v5),
    ] as [([UInt8], MQTTVersion)])
  func bytesThatBreakTheRulesAreABreach(bytes: [UInt8], version: MQTTVersion) {
    #expect(throws: MQTTBreach.self) { try Self.decode(bytes, version) }
  }

  /// Seven bits in a byte of the length.
  @Test(
    arguments: [(127, [0x7F]), (128, [0x80, 1]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 1])] as [(Int, [UInt8])])
  func aLengthIsWrittenShort(count: Int, length: [UInt8]) {
    let message = OutgoingMessage(topic: "", [UInt8](repeating: 9, count: count - 2))
    let bytes = MQTTEncoder(version: .v311).message(message, identifier: nil, isRetained: false)
    #expect(
      Array(bytes.prefix(4 + length.count)) == [0x30] + length + [0, 0, 9] && bytes.count == 1 + length.count + count)
  }

  /// A length of four bytes is the longest.
  @Test func aPacketOfTheGreatestLengthIsCutAndTheNextIsRead() throws {
    var decoder = MQTTDecoder(.v311)
    let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
    let length = 268_435_455
    var packets: [MQTTPacket] = []
    func append(_ bytes: some Collection<UInt8>) throws {
      Array(bytes).withUnsafeBytes { decoder.append($0) }
      while let packet = try decoder.next() { packets.append(packet) }
      #expect(decoder.size <= MQTTDecoder.limit + chunk.count + 10)
    }
    try append([0x32, 0xFF, 0xFF, 0xFF, 0x7F, 0, 1, 0x74, 0, 7])
    for _ in 0..<(length - 5) / chunk.count { try append(chunk) }
    try append(chunk.prefix((length - 5) % chunk.count) + [0xD0, 0])
    guard case .message("t", let payload, false, 7)? = packets.first else {
      Issue.record("\(packets.count) packets")
      return
    }
    #expect(payload.count == MQTTDecoder.limit - 5 && payload.count > DeviceMessage.limit)
    #expect(packets.dropFirst() == [.pong])
  }

  /// Random changes of packets of every type, and random bytes.
  @Test func noBytesEndTheProcessOrFillTheMemory() {
    var random = SplitMix(state: 5)
    for _ in 0..<(runsLongTests ? 1_000_000 : 20_000) {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes += Self.known.randomElement(using: &random)?.bytes ?? []
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.insert(.random(in: 0...255, using: &random), at: index)
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      let version = [MQTTVersion.v311, .v5].randomElement(using: &random) ?? .v5
      let whole = Result { () throws(MQTTBreach) in try Self.decode(bytes, version) }
      let pieces = Result { () throws(MQTTBreach) in try Self.decode(bytes, version, in: 1) }
      #expect(whole == pieces, "\(bytes)")
    }
  }
}

@Suite(.inTurn) struct MQTTTextTests {
  @Test func aLongTopicIsShortenedInMessages() {
    #expect(MQTTText.quoted("owntracks/ann/car") == "'owntracks/ann/car'")
    let topic = "owntracks/" + String(repeating: "x", count: 60_000) + "/car"
    let text = MQTTText.quoted(topic)
    #expect(text.hasPrefix("'owntracks/xxx") && text.hasSuffix("xxx/car' (60014 bytes)") && text.utf8.count < 200)
    // To Swift such a text is a single character.
    #expect(MQTTText.quoted("a" + String(repeating: "\u{301}", count: 30_000)).utf8.count < 400)
  }
}

/// A publisher, a collector and a probe whose broker sends anything.
@Suite(.startsPrograms) struct HostileBrokerTests {
  /// In the first answer and later: properties that are not known, in packets of every type, and packets that are none.
  private static let attacks: [[UInt8]] = [
    [0x20, 5, 0, 0, 2, 0x7F, 0], [0x30, 7, 0, 1, 0x74, 2, 0x7F, 0, 0], [0x40, 6, 0, 1, 0, 2, 0x7F, 0],
    [0x90, 6, 0, 1, 2, 0x7F, 0, 1], [0xE0, 4, 0, 2, 0x7F, 0], [0xF0, 4, 0x18, 2, 0x7F, 0], [0x50, 2, 0, 1],
    [0xB0, 2, 0, 1],
    [0x00, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x20, 2, 0, 0, 0x20, 2, 0, 0],
  ]

  @Test func aPublisherOutlivesItAndGoesOn() async throws {
    let listener = try LoopbackSocket.listener()
    let publisher = try TestPublisher(port: listener.port) { configuration in
      configuration.takesCommands = true
      (configuration.session.minimumRetryDelay, configuration.session.maximumRetryDelay) = (0.001, 0.001)
    }
    for attack in Self.attacks {
      for isLate in [false, true] {
        let client = try listener.accept()
        let hello = client.receive() ?? []
        // The first connection of a session may be followed by one of the older version.
        if isLate { client.send(acceptance(of: hello)) }
        client.send(attack)
        client.close()
      }
    }
    // And then one that does what it should.
    let client = try listener.accept()
    client.send(acceptance(of: client.receive() ?? []))
    #expect(await eventually { publisher.statistics.isConnected })
    var seen: [UInt8] = []
    while seen.firstRange(of: Array("\"tst\":1700000000".utf8)) == nil, let bytes = client.receive(), !bytes.isEmpty {
      seen += bytes
    }
    // Its first packets are a subscription and a message, with the numbers 1 and 2.
    client.send([0x40, 2, 0, 1, 0x40, 2, 0, 2])
    #expect(await eventually { publisher.cursor == 1 })
    #expect(publisher.said.count < 10, "\(publisher.said)")
    await publisher.end()
  }
}
