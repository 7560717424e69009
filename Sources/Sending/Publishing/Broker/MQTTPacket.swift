enum MQTTVersion: UInt8, Sendable {
  /// Supported by every broker; the broker cannot report that it refuses a message.
  case v311 = 4
  /// The broker can report that it refuses a message.
  case v5 = 5
}

/// A packet from a broker, as far as a client needs it that subscribes with quality of service 1. Reasons are MQTT 5's
/// codes: from 0x80 on they are failures.
enum MQTTPacket: Equatable {
  case connected(reason: UInt8, MQTTLimits)
  /// `identifier` is that of the acknowledgement; `nil` if the broker wants none. Of a packet that is longer than
  /// `MQTTDecoder.limit` the payload lacks its end.
  case message(topic: String, payload: [UInt8], isRetained: Bool, identifier: UInt16?)
  case acknowledged(identifier: UInt16, reason: UInt8)
  case subscribed(isGranted: Bool)
  case pong
  case disconnected(reason: UInt8)
}

/// What a broker accepts. A broker of MQTT 3.1.1 does not say.
struct MQTTLimits: Equatable {
  /// The largest packet in bytes.
  var packet = Int.max
  var inFlight = 65_535
  var acknowledgesMessages = true
  var retainsMessages = true
  /// The seconds of silence after which the client pings; `nil` for the client's own.
  var keepAlive: Int?
}

struct MQTTBreach: Error, Equatable {}

/// Splits a broker's bytes into packets. Pure. Its memory is bounded by `limit` and what one call of `append` brings.
struct MQTTDecoder {
  /// The most bytes of a packet that are kept: twice the payload that any reader accepts, and room for the longest topic.
  static let limit = 512 << 10

  let version: MQTTVersion
  private var buffer: [UInt8] = []
  private var start = 0
  /// How many bytes of a long packet are still to be left out.
  private var surplus = 0

  init(_ version: MQTTVersion) { self.version = version }

  var size: Int { buffer.count }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    buffer.removeFirst(start)
    start = 0
    let omitted = min(surplus, bytes.count)
    surplus -= omitted
    buffer.append(contentsOf: bytes.dropFirst(omitted))
  }

  /// The next whole packet; `nil` when more bytes are needed.
  mutating func next() throws(MQTTBreach) -> MQTTPacket? {
    guard surplus == 0 else { return nil }
    var (header, length, shift) = (start + 1, 0, 0)
    while true {
      guard header < buffer.count else { return nil }
      let byte = buffer[header]
      length |= Int(byte & 0x7F) << shift
      (header, shift) = (header + 1, shift + 7)
      if byte < 0x80 { break }
      guard shift < 28 else { throw MQTTBreach() }
    }
    let kept = min(length, Self.limit)
    let first = buffer[start]
    // Only a message may be that long.
    guard length == kept || first >> 4 == 3 else { throw MQTTBreach() }
    guard buffer.count - header >= kept else { return nil }
    let end = min(buffer.count, header + length)
    surplus = header + length - end
    var fields = MQTTFields(buffer[header..<header + kept])
    start = end
    return try packet(first, &fields)
  }

  private func packet(_ first: UInt8, _ fields: inout MQTTFields) throws(MQTTBreach) -> MQTTPacket {
    switch first {
    case 0x20: return try connected(&fields)
    case 0x30...0x33, 0x38...0x3B:
      let topic = try fields.text()
      let identifier = first & 0x06 == 0 ? nil : try fields.number() as UInt16
      // A topic's alias, for which this client does not ask, comes with an empty topic.
      guard !topic.isEmpty, identifier != 0 else { throw MQTTBreach() }
      if version == .v5 { _ = try fields.properties() }
      return .message(topic: topic, payload: Array(fields.bytes), isRetained: first & 1 == 1, identifier: identifier)
    case 0x40:
      let identifier: UInt16 = try fields.number()
      guard identifier != 0 else { throw MQTTBreach() }
      return .acknowledged(identifier: identifier, reason: try fields.reason(version))
    case 0x90:
      _ = try fields.number() as UInt16
      if version == .v5 { _ = try fields.properties() }
      // Each subscription has one topic, so one answer: the quality of service, or the reason of a refusal.
      return .subscribed(isGranted: fields.bytes.count == 1 && fields.bytes.first ?? 0xFF <= 2)
    case 0xD0:
      try fields.end()
      return .pong
    case 0xE0 where version == .v5: return .disconnected(reason: try fields.reason(version))
    default: throw MQTTBreach()
    }
  }

  private func connected(_ fields: inout MQTTFields) throws(MQTTBreach) -> MQTTPacket {
    let (_, code) = (try fields.number() as UInt8, try fields.number() as UInt8)
    // A broker that knows only MQTT 3.1.1 refuses MQTT 5 in the words of MQTT 3.1.1.
    if version == .v311 || fields.bytes.isEmpty && code == 1 {
      try fields.end()
      let reasons: [UInt8] = [0, 0x84, 0x85, 0x88, 0x86, 0x87]
      return .connected(reason: Int(code) < reasons.count ? reasons[Int(code)] : 0x80, MQTTLimits())
    }
    var properties = try fields.properties()
    try fields.end()
    guard code == 0 || code >= 0x80 else { throw MQTTBreach() }
    return .connected(reason: code, try properties.limits())
  }
}

private struct MQTTFields {
  private(set) var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  mutating func number<Number: FixedWidthInteger>() throws(MQTTBreach) -> Number {
    try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func text() throws(MQTTBreach) -> String {
    let length: UInt16 = try number()
    let bytes = try take(Int(length))
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw MQTTBreach() }
    return text
  }

  mutating func properties() throws(MQTTBreach) -> MQTTFields {
    var (length, shift) = (0, 0)
    while true {
      let byte: UInt8 = try number()
      length |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return MQTTFields(try take(length)) }
      shift += 7
      guard shift < 28 else { throw MQTTBreach() }
    }
  }

  /// The reason and the properties at the end of a packet, which may lack both.
  mutating func reason(_ version: MQTTVersion) throws(MQTTBreach) -> UInt8 {
    var reason: UInt8 = 0
    if version == .v5, !bytes.isEmpty {
      reason = try number()
      if !bytes.isEmpty { _ = try properties() }
    }
    try end()
    return reason
  }

  func end() throws(MQTTBreach) { if !bytes.isEmpty { throw MQTTBreach() } }

  mutating func limits() throws(MQTTBreach) -> MQTTLimits {
    var limits = MQTTLimits()
    while !bytes.isEmpty {
      switch try number() as UInt8 {
      case 0x13: limits.keepAlive = Int(try number() as UInt16)
      case 0x21: limits.inFlight = Int(try number() as UInt16)
      case 0x24: limits.acknowledgesMessages = try number() as UInt8 > 0
      case 0x25: limits.retainsMessages = try number() as UInt8 > 0
      case 0x27: limits.packet = Int(try number() as UInt32)
      // The others do not matter here, but have to be skipped: by their length, or a text, or two of them.
      case 0x28, 0x29, 0x2A: _ = try number() as UInt8
      case 0x22: _ = try number() as UInt16
      case 0x11: _ = try number() as UInt32
      case 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: _ = try take(Int(try number() as UInt16))
      case 0x26: for _ in 0..<2 { _ = try take(Int(try number() as UInt16)) }
      default: throw MQTTBreach()
      }
    }
    guard limits.inFlight > 0, limits.packet > 0 else { throw MQTTBreach() }
    return limits
  }

  private mutating func take(_ count: Int) throws(MQTTBreach) -> ArraySlice<UInt8> {
    guard count <= bytes.count else { throw MQTTBreach() }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }
}

struct MQTTEncoder {
  let version: MQTTVersion

  /// The first packet. Its will has quality of service 1.
  func connect(_ configuration: SessionConfiguration, password: [UInt8]?, will: OutgoingMessage?) -> [UInt8] {
    var flags: UInt8 = configuration.keepsSession ? 0 : 0x02
    if let will { flags |= will.isRetained ? 0x2C : 0x0C }
    if configuration.user != nil { flags |= password == nil ? 0x80 : 0xC0 }
    var body = Self.field(Array("MQTT".utf8)) + [version.rawValue, flags] + Self.bytes(UInt16(configuration.keepAlive))
    // No Maximum Packet Size: a broker drops a longer message silently, while `MQTTDecoder` cuts it and its reader counts it.
    body += noProperties + Self.field(Array(configuration.clientID.utf8))
    if let will { body += noProperties + Self.field(Array(will.topic.utf8)) + Self.field(will.payload) }
    if let user = configuration.user {
      body += Self.field(Array(user.utf8))
      if let password { body += Self.field(password) }
    }
    return Self.packet(0x10, body)
  }

  /// A message; without an identifier it has quality of service 0.
  func message(_ message: OutgoingMessage, identifier: UInt16?, isRetained: Bool) -> [UInt8] {
    let start = Self.field(Array(message.topic.utf8)) + (identifier.map(Self.bytes) ?? []) + noProperties
    return Self.packet(0x30 | (identifier == nil ? 0 : 2) | (isRetained ? 1 : 0), start + message.payload)
  }

  func subscription(to topic: String, identifier: UInt16) -> [UInt8] {
    Self.packet(0x82, Self.bytes(identifier) + noProperties + Self.field(Array(topic.utf8)) + [1])
  }

  static func acknowledgement(of identifier: UInt16) -> [UInt8] { [0x40, 2] + bytes(identifier) }
  static let ping: [UInt8] = [0xC0, 0]
  static let end: [UInt8] = [0xE0, 0]

  private var noProperties: [UInt8] { version == .v5 ? [0] : [] }

  private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }

  private static func field(_ bytes: [UInt8]) -> [UInt8] {
    self.bytes(UInt16(clamping: bytes.count)) + bytes.prefix(65_535)
  }

  private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    var (packet, length) = ([first], body.count)
    repeat {
      packet.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return packet + body
  }
}

enum MQTTReason {
  static let wrongVersion: UInt8 = 0x84
  static let takenOver: UInt8 = 0x8E
  static let tooLarge: UInt8 = 0x95
  /// Codes that concern this client, and not the broker's own problems.
  static let ofClient: Set<UInt8> = [0x85, 0x86, 0x87, 0x8A, 0x8C]
  /// Codes that concern one message, which will never be accepted.
  static let ofMessage: Set<UInt8> = [tooLarge, 0x99]

  static func text(_ code: UInt8) -> String { texts[code] ?? "reason \(code)" }

  private static let texts: [UInt8: String] = [
    0x80: "Unspecified error", 0x81: "Malformed packet", 0x82: "Protocol error",
    0x83: "Implementation specific error", 0x84: "Unsupported protocol version",
    0x85: "Client identifier not valid", 0x86: "Bad user name or password", 0x87: "Not authorized",
    0x88: "Server unavailable", 0x89: "Server busy", 0x8A: "Banned", 0x8B: "Server shutting down",
    0x8C: "Bad authentication method", 0x8D: "Keep alive timeout", 0x8E: "Session taken over",
    0x8F: "Topic filter invalid", 0x90: "Topic name invalid", 0x91: "Packet identifier in use",
    0x93: "Receive maximum exceeded", 0x94: "Topic alias invalid", 0x95: "Packet too large",
    0x96: "Message rate too high", 0x97: "Quota exceeded", 0x98: "Administrative action",
    0x99: "Payload format invalid", 0x9A: "Retain not supported", 0x9B: "QoS not supported",
    0x9C: "Use another server", 0x9D: "Server moved", 0x9E: "Shared subscriptions not supported",
    0x9F: "Connection rate exceeded", 0xA0: "Maximum connect time",
    0xA1: "Subscription identifiers not supported", 0xA2: "Wildcard subscriptions not supported",
  ]
}
