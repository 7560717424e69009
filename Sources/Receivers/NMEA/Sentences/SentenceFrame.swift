import Glibc

/// One sentence in a buffer: its end, its fields and whether its checksum is right.
struct SentenceFrame {
  enum Checksum {
    case good, missing, bad, cutOff
  }

  /// Space for the offsets of a sentence's fields.
  typealias Table = UnsafeMutableBufferPointer<UInt16>

  /// The number of bytes from the `$` up to, but not including, the byte that ended the sentence.
  let length: Int
  /// The text between the commas, the address first, without the checksum.
  let fields: NMEAFields
  let checksum: Checksum

  /// Lends a table that is large enough for a sentence of only commas.
  static func withTable<Result>(_ body: (Table) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: SentenceScanner.sentenceLimit + 2, body)
  }

  /// Whether a byte cannot be inside a sentence: a control character, a byte that is not ASCII, or the next `$`.
  static func ends(_ byte: UInt8) -> Bool { byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "$") }

  /// Reads from a `$` or `!` up to the byte that ends the sentence; `nil` when that byte has not come yet, or comes
  /// later than in any sentence.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ table: Table) {
    guard let start = bytes.baseAddress else { return nil }
    let body = start + 1
    let available = min(bytes.count - 1, SentenceScanner.sentenceLimit)
    var end = 0
    var count = 1
    table[0] = 0

    // The loop reads eight bytes at a time and sets one bit for each byte that ends the sentence and for each comma.
    var sums: UInt64 = 0
    while end + 8 <= available {
      var eight = EightBytes(UnsafeRawPointer(body + end))
      let length = eight.cutAtEnd()
      sums ^= eight.word
      var commas = eight.commas
      while commas != 0 {
        table[count] = UInt16(truncatingIfNeeded: end &+ commas.trailingZeroBitCount / 8 &+ 1)
        count &+= 1
        commas &= commas &- 1
      }
      end &+= length
      if length < 8 { break }
    }
    sums ^= sums >> 32
    sums ^= sums >> 16
    var sum = UInt8(truncatingIfNeeded: sums ^ sums >> 8)

    // Fewer than eight bytes are left.
    while end < available {
      let byte = body[end]
      if byte == UInt8(ascii: ",") {
        table[count] = UInt16(truncatingIfNeeded: end + 1)
        count += 1
      } else if Self.ends(byte) {
        break
      }
      sum ^= byte
      end += 1
    }
    guard end < available else { return nil }
    length = end + 1

    checksum = Self.cutChecksum(body, &end, sum: sum)
    while table[count - 1] > end { count -= 1 }
    table[count] = UInt16(truncatingIfNeeded: end + 1)
    fields = NMEAFields(base: body, starts: UnsafeBufferPointer(table), count: count)
  }

  /// Judges the checksum, and moves the end of the sentence to the byte before it. `sum` is that of all bytes.
  private static func cutChecksum(_ body: UnsafePointer<UInt8>, _ end: inout Int, sum: UInt8) -> Checksum {
    var sum = sum
    // Spaces may follow the checksum.
    while end > 0, body[end - 1] == UInt8(ascii: " ") {
      sum ^= UInt8(ascii: " ")
      end -= 1
    }
    let asterisk = UInt8(ascii: "*")
    if end >= 3, body[end - 3] == asterisk, let high = digit(body[end - 2]), let low = digit(body[end - 1]),
      sum ^ asterisk ^ body[end - 2] ^ body[end - 1] == high << 4 | low
    {
      end -= 3
      return .good
    }
    guard let star = Self.star(in: body, end) else {
      return memchr(body, Int32(asterisk), end) == nil ? .missing : .cutOff
    }
    // Loggers append a time, a quote and other text. Text after the checksum is not part of the sentence.
    end = star.index
    return UnsafeBufferPointer(start: body, count: end).reduce(0, ^) == star.checksum ? .good : .bad
  }

  /// Whether the sentence begins with an address: three letters or more, then a comma or a checksum.
  var hasAddress: Bool {
    guard fields.length(0) >= 3, fields.count >= 2 || checksum == .good else { return false }
    return fields.bytes(0).allSatisfy { byte in
      (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: " ")
    }
  }

  /// Finds the first asterisk that a checksum of two hexadecimal digits follows, and that checksum.
  private static func star(in body: UnsafePointer<UInt8>, _ end: Int) -> (index: Int, checksum: UInt8)? {
    var start = 0
    while start + 3 <= end, let found = memchr(body + start, Int32(UInt8(ascii: "*")), end - start - 2) {
      let index = UnsafeRawPointer(body).distance(to: found)
      if let high = digit(body[index + 1]), let low = digit(body[index + 2]) { return (index, high << 4 | low) }
      start = index + 1
    }
    return nil
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Eight bytes of a sentence as one number. The first byte is the lowest.
private struct EightBytes {
  private(set) var word: UInt64

  init(_ start: UnsafeRawPointer) { word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) }

  /// Replaces the first byte that cannot be inside a sentence (see `SentenceFrame.ends`), and those after it, with
  /// zeros, which do not change the checksum. Returns the number of bytes before it.
  mutating func cutAtEnd() -> Int {
    // Subtracting sets the high bit of a byte that is too small. It may borrow from the next byte, which makes that
    // byte's bit meaningless; the lowest set bit is right.
    let dollars = word ^ Self.repeated(UInt8(ascii: "$"))
    let isControlOrNotASCII = (word &- Self.repeated(0x20)) | word
    let isDollar = (dollars &- Self.repeated(1)) & ~dollars
    let ends = (isControlOrNotASCII | isDollar) & Self.repeated(0x80)
    guard ends != 0 else { return 8 }
    let length = ends.trailingZeroBitCount / 8
    word &= 1 << UInt64(8 * length) - 1
    return length
  }

  /// Sets the high bit of every comma: adding 0x7F to the low seven bits carries unless they are zero.
  var commas: UInt64 {
    let zeros = word ^ Self.repeated(UInt8(ascii: ","))
    let low = Self.repeated(0x7F)
    return ~(((zeros & low) &+ low) | zeros | low)
  }

  private static func repeated(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
}
