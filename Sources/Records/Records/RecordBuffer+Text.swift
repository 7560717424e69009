// MARK: JSON

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
  public mutating func appendJSONString(_ string: String) {
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

// MARK: XML

extension RecordBuffer {
  /// Appends character data: markup escaped, characters that XML 1.0 cannot hold replaced by U+FFFD.
  public mutating func appendXMLText(_ string: String) {
    var string = string
    string.withUTF8 { text in
      var plain = 0
      var index = 0
      while index < text.count {
        guard let (replacement, length) = xmlReplacement(text, at: index) else {
          index += 1
          continue
        }
        append(contentsOf: bytes(text, plain..<index))
        append(replacement)
        index += length
        plain = index
      }
      append(contentsOf: bytes(text, plain..<text.count))
    }
  }
}

/// What stands for the character that begins at an index, and its length in bytes; `nil` when it stands for itself.
private func xmlReplacement(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (
  StaticString, Int
)? {
  switch text[index] {
  case UInt8(ascii: "&"): return ("&amp;", 1)
  case UInt8(ascii: "<"): return ("&lt;", 1)
  case UInt8(ascii: ">"): return ("&gt;", 1)
  case 0x09, 0x0A: return nil
  case 0x0D: return ("&#13;", 1)
  case 0..<0x20: return ("\u{FFFD}", 1)
  case 0xEF:
    // U+FFFE and U+FFFF
    let isNoncharacter =
      index + 2 < text.count && text[index + 1] == 0xBF && text[index + 2] >= 0xBE
    return isNoncharacter ? ("\u{FFFD}", 3) : nil
  default: return nil
  }
}

private func bytes(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>)
  -> UnsafeRawBufferPointer
{
  UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[range]))
}

// MARK: CSV

extension RecordBuffer {
  /// Appends a field, in quotes when it has a comma, a quote or a line's end, or blanks that readers may trim.
  mutating func appendCSVField(_ field: String) {
    var field = field
    field.withUTF8 { text in
      let needsQuotes =
        text.first == UInt8(ascii: " ") || text.last == UInt8(ascii: " ")
        || text.contains {
          $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D
        }
      guard needsQuotes else { return append(contentsOf: UnsafeRawBufferPointer(text)) }
      append("\"")
      for byte in text {
        if byte == UInt8(ascii: "\"") { append(byte: byte) }
        append(byte: byte)
      }
      append("\"")
    }
  }
}
