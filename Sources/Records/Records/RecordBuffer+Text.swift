extension RecordBuffer {
  /// Appends the value of a member, texts by `appendText`. Returns whether the value is known and can be written.
  @discardableResult
  mutating func appendValue<Record>(
    of member: RecordMember<Record>, in record: Record, text appendText: (inout RecordBuffer, String) -> Void
  ) -> Bool {
    switch member.access {
    case .time(let get, _): return get(record).map { append($0) } ?? false
    case .angle(let get, _): return get(record).map { append($0, places: .angle) } ?? false
    case .measure(let get, _): return get(record).map { append($0, places: .measure) } ?? false
    case .whole(let get, _): return get(record).map { append($0) } != nil
    case .text(let get, _): return get(record).map { appendText(&self, $0) } != nil
    case .flag(let get, _): return get(record).map { append($0 ? "true" : "false") } != nil
    }
  }
}

// MARK: XML

extension RecordBuffer {
  /// Appends character data, or the value of an attribute in double quotes. Markup is escaped; characters that XML 1.0
  /// does not allow are replaced by U+FFFD.
  package mutating func appendXMLText(_ string: String, inQuotes: Bool = false) {
    var string = string
    string.withUTF8 { text in
      var index = 0
      while index < text.count {
        if let (replacement, length) = xmlReplacement(text, at: index, inQuotes: inQuotes) {
          append(replacement)
          index += length
        } else {
          append(byte: text[index])
          index += 1
        }
      }
    }
  }
}

/// The replacement of the character at an index, and the character's length in bytes; `nil` if it is written unchanged.
private func xmlReplacement(_ text: UnsafeBufferPointer<UInt8>, at index: Int, inQuotes: Bool) -> (StaticString, Int)? {
  switch text[index] {
  case UInt8(ascii: "&"): return ("&amp;", 1)
  case UInt8(ascii: "<"): return ("&lt;", 1)
  case UInt8(ascii: ">"): return ("&gt;", 1)
  case UInt8(ascii: "\"") where inQuotes: return ("&quot;", 1)
  case 0x09, 0x0A: return nil
  case 0x0D: return ("&#13;", 1)
  case 0..<0x20: return ("\u{FFFD}", 1)
  case 0xEF:
    // U+FFFE and U+FFFF
    let isNoncharacter = index + 2 < text.count && text[index + 1] == 0xBF && text[index + 2] >= 0xBE
    return isNoncharacter ? ("\u{FFFD}", 3) : nil
  default: return nil
  }
}

// MARK: CSV

extension RecordBuffer {
  /// Appends a field, in quotes if it contains a comma, a quote, or blanks that readers may trim. Control characters
  /// are escaped as in JSON, so each record is one line and has no effect on a terminal.
  mutating func appendCSVField(_ field: String) {
    var field = field
    field.withUTF8 { text in
      let needsQuotes =
        text.first == UInt8(ascii: " ") || text.last == UInt8(ascii: " ")
        || text.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
      if needsQuotes { append("\"") }
      for byte in text {
        if byte < 0x20 || byte == 0x7F {
          append(most: 6) { writeEscaped(byte, to: $0) }
        } else {
          if byte == UInt8(ascii: "\"") { append(byte: byte) }
          append(byte: byte)
        }
      }
      if needsQuotes { append("\"") }
    }
  }
}
