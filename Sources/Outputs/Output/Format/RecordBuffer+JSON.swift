import FoundationEssentials

/// Appends the members of one JSON object to a buffer. Keys are the program's own and need no escaping.
///
/// It is a namespace of functions on the buffer, not a builder with state: a member's key carries its comma.
extension RecordBuffer {
  /// Appends `key` and a number, or nothing when the value is unknown or cannot be written.
  @inline(__always)
  mutating func appendMember(_ key: StaticString, _ value: Double?, _ places: DecimalPlaces) {
    guard let value, Self.isWritable(value, places: places) else { return }
    append(key)
    append(value, places: places)
  }

  /// Appends `key` and a whole number, or nothing when the value is unknown.
  @inline(__always)
  mutating func appendMember(_ key: StaticString, _ value: Int?) {
    guard let value else { return }
    append(key)
    append(value)
  }

  /// Appends `key` and a quoted string, escaped, or nothing when the value is unknown.
  @inline(__always)
  mutating func appendMember(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    append(key)
    appendJSONString(value)
  }

  /// Appends a string in quotes with everything escaped that RFC 8259 wants escaped.
  mutating func appendJSONString(_ string: String) {
    var string = string
    string.withUTF8 { text in
      append(most: 2 + 6 * text.count) { start in
        var out = start
        out[0] = UInt8(ascii: "\"")
        out += 1
        for byte in text {
          if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
            out[0] = byte
            out += 1
          } else {
            out += writeEscaped(byte, to: out)
          }
        }
        out[0] = UInt8(ascii: "\"")
        return out - start + 1
      }
    }
  }
}

/// Stores the escape of one byte below 0x20, a quote or a backslash, and returns its length.
private func writeEscaped(_ byte: UInt8, to out: UnsafeMutablePointer<UInt8>) -> Int {
  out[0] = UInt8(ascii: "\\")
  switch byte {
  case UInt8(ascii: "\""), UInt8(ascii: "\\"): out[1] = byte
  case 0x0A: out[1] = UInt8(ascii: "n")
  case 0x0D: out[1] = UInt8(ascii: "r")
  case 0x09: out[1] = UInt8(ascii: "t")
  default:
    out[1] = UInt8(ascii: "u")
    out[2] = UInt8(ascii: "0")
    out[3] = UInt8(ascii: "0")
    out[4] = UInt8(ascii: "0") + byte >> 4
    let low = byte & 15
    out[5] = low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "A") + low - 10
    return 6
  }
  return 2
}
