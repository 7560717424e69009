/// Reads the time of a TAG block of NMEA 0183 4.x, `\\s:NAME,c:SECONDS*hh\\`, before a sentence, byte by byte.
struct TagBlock: Sendable {
  /// The part of the block to which the current byte belongs.
  private enum Part {
    /// The name of a field, or another field's value.
    case other
    /// The value of `c`.
    case time
    case checksum
  }

  private var part = Part.other
  private var sum: UInt8 = 0
  private var checksum: UInt8 = 0
  private var checksumDigits = 0
  private var number: Int64 = 0
  /// The number of digits; `nil` if the value is not a time.
  private var digits: Int? = 0
  /// The two bytes before the current one. The start of a block counts as the start of a field.
  private var before: (UInt8, UInt8) = (0, UInt8(ascii: ","))

  /// Reads the next byte between the backslashes.
  mutating func read(_ byte: UInt8) {
    defer { before = (before.1, byte) }
    if part == .checksum {
      checksumDigits += 1
      if let digit = SentenceFrame.digit(byte) { checksum = checksum << 4 | digit } else { checksumDigits = 3 }
      return
    }
    if byte == UInt8(ascii: "*") {
      part = .checksum
      return
    }
    sum ^= byte
    if part == .time, byte != UInt8(ascii: ",") {
      guard let count = digits, count < 13, let digit = NMEAFields.digit(byte) else { return digits = nil }
      number = number * 10 + Int64(digit)
      digits = count + 1
    } else if byte == UInt8(ascii: ":"), before == (UInt8(ascii: ","), UInt8(ascii: "c")) {
      part = .time
    } else {
      part = .other
    }
  }

  /// The Unix time of the block in nanoseconds; `nil` without a time or with a wrong checksum. Some senders give
  /// seconds, others milliseconds.
  var time: Int64? {
    guard part == .checksum, checksumDigits == 2, checksum == sum else { return nil }
    switch digits {
    case 9, 10: return number * 1_000_000_000
    case 12, 13: return number * 1_000_000
    default: return nil
    }
  }
}
