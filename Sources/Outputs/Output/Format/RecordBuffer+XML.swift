extension RecordBuffer {
  /// Appends character data: markup escaped, characters that XML 1.0 cannot hold replaced by U+FFFD.
  mutating func appendXMLText(_ string: String) {
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
