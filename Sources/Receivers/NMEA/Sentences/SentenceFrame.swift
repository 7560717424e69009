/// One sentence found in a buffer: where it ends, its fields and whether its checksum fits.
struct SentenceFrame {
  enum Checksum {
    case good, missing, bad, cutOff
  }

  /// Bytes from the `$` up to but without the byte that ended it.
  var length: Int
  /// How many fields the table holds.
  var fieldCount: Int
  var checksum: Checksum

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080
  private static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

  /// The high bit of every byte of `word` that is zero.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 {
    ~(((word & lows) &+ lows) | word | lows)
  }

  /// Whether a byte cannot be inside a sentence: a control character, one that is not ASCII, or the next `$`.
  @inline(__always)
  static func ends(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "$")
  }

  /// Reads from a `$` or `!` up to the byte that ends the sentence; `nil` when that byte is not there yet.
  ///
  /// `starts` receives where the fields begin, counted from the byte after `$`; it has room for a sentence of
  /// commas only. Looks at eight bytes at a time for commas and for the end, and sums them for the checksum.
  @inline(__always)
  static func find(
    _ base: UnsafePointer<UInt8>, limit: Int, _ starts: UnsafeMutablePointer<UInt16>
  ) -> SentenceFrame? {
    let body = base + 1
    let available = min(limit - 1, NMEADecoder.sentenceLimit)
    var i = 0
    var fields = 1
    var sum: UInt64 = 0
    var isFound = false
    starts[0] = 0
    while i + 8 <= available {
      let word = UInt64(littleEndian: UnsafeRawPointer(body + i).loadUnaligned(as: UInt64.self))
      let stop =
        zeros(word & (ones &* 0xE0)) | (word & highs) | zeros(word ^ (ones &* UInt64(UInt8(ascii: "$"))))
      var commas = zeros(word ^ (ones &* UInt64(UInt8(ascii: ","))))
      if stop == 0 {
        sum ^= word
        while commas != 0 {
          starts[fields] = UInt16(truncatingIfNeeded: i + commas.trailingZeroBitCount >> 3 + 1)
          fields += 1
          commas &= commas - 1
        }
        i += 8
      } else {
        let count = stop.trailingZeroBitCount >> 3
        let mask: UInt64 = (1 << UInt64(count << 3)) - 1
        sum ^= word & mask
        commas &= mask
        while commas != 0 {
          starts[fields] = UInt16(truncatingIfNeeded: i + commas.trailingZeroBitCount >> 3 + 1)
          fields += 1
          commas &= commas - 1
        }
        i += count
        isFound = true
        break
      }
    }
    sum ^= sum >> 32
    sum ^= sum >> 16
    sum ^= sum >> 8
    var folded = UInt8(truncatingIfNeeded: sum)
    while !isFound, i < available {
      let byte = body[i]
      if ends(byte) {
        isFound = true
        break
      }
      folded ^= byte
      if byte == UInt8(ascii: ",") {
        starts[fields] = UInt16(truncatingIfNeeded: i + 1)
        fields += 1
      }
      i += 1
    }
    guard isFound else { return nil }
    return finish(body, end: i, sum: folded, fields: fields, starts)
  }

  /// Takes the checksum off and says whether it fits.
  @inline(__always)
  private static func finish(
    _ body: UnsafePointer<UInt8>, end: Int, sum: UInt8, fields: Int, _ starts: UnsafeMutablePointer<UInt16>
  ) -> SentenceFrame {
    var last = end
    var sum = sum
    while last > 0, body[last - 1] == UInt8(ascii: " ") {
      sum ^= UInt8(ascii: " ")
      last -= 1
    }
    var checksum = Checksum.missing
    let star = UInt8(ascii: "*")
    if last >= 3, body[last - 3] == star, let high = nibble(body[last - 2]), let low = nibble(body[last - 1]) {
      sum ^= star ^ body[last - 2] ^ body[last - 1]
      checksum = sum == high << 4 | low ? .good : .bad
      last -= 3
    } else if last >= 1, body[last - 1] == star {
      checksum = .cutOff
    } else if last >= 2, body[last - 2] == star {
      checksum = .cutOff
    }
    starts[fields] = UInt16(truncatingIfNeeded: last + 1)
    return SentenceFrame(length: end + 1, fieldCount: fields, checksum: checksum)
  }

  @inline(__always)
  private static func nibble(_ byte: UInt8) -> UInt8? {
    let digit = byte &- 0x30
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}
