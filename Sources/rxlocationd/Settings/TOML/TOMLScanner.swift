/// Reads one line of a TOML document.
struct TOMLScanner {
  private var rest: Substring
  private let line: Int

  init(_ text: Substring, line: Int) {
    rest = text
    self.line = line
  }

  var peek: Character? { rest.first }

  var isAtEndOrComment: Bool { rest.isEmpty || rest.first == "#" }

  mutating func skipBlanks() {
    rest = rest.drop { $0 == " " || $0 == "\t" }
  }

  /// `[name]` or `[[name]]`.
  mutating func header() throws(TOMLError) -> TOMLDocument.Table {
    let isArrayElement = rest.hasPrefix("[[")
    rest = rest.dropFirst(isArrayElement ? 2 : 1)
    skipBlanks()
    let name = try key()
    skipBlanks()
    let close = isArrayElement ? "]]" : "]"
    guard rest.hasPrefix(close) else { throw error("expected '\(close)' after '\(name)'") }
    rest = rest.dropFirst(close.count)
    return TOMLDocument.Table(name: name, isArrayElement: isArrayElement, line: line)
  }

  /// `key = value`.
  mutating func entry() throws(TOMLError) -> TOMLDocument.Entry {
    let key = try key()
    skipBlanks()
    guard peek == "=" else { throw error("expected '=' after '\(key)'") }
    rest = rest.dropFirst()
    skipBlanks()
    return TOMLDocument.Entry(key: key, value: try value(of: key), line: line)
  }

  /// Only blanks and a comment may follow.
  mutating func expectEnd() throws(TOMLError) {
    skipBlanks()
    guard isAtEndOrComment else { throw error("'\(rest)' is not expected here; each key has a line of its own") }
  }

  private mutating func key() throws(TOMLError) -> String {
    if peek == "\"" || peek == "'" { return try string() }
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard !name.isEmpty else { throw error("expected a key, found '\(rest)'") }
    rest = rest.dropFirst(name.count)
    return String(name)
  }

  private mutating func value(of key: String) throws(TOMLError) -> TOMLValue {
    switch peek {
    case "\"", "'": return .string(try string())
    case "[": return .array(try array(of: key))
    default: break
    }
    let word = rest.prefix { !$0.isWhitespace && $0 != "#" && $0 != "," && $0 != "]" }
    rest = rest.dropFirst(word.count)
    let digits = word.filter { $0 != "_" }
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "": throw error("'\(key)' has no value")
    default: break
    }
    if let integer = Int(digits) { return .integer(integer) }
    if let float = Double(digits), float.isFinite, !digits.hasPrefix("0x") { return .float(float) }
    throw error("'\(key)': '\(word)' is no number, true or false; a text stands in quotes")
  }

  private mutating func array(of key: String) throws(TOMLError) -> [TOMLValue] {
    rest = rest.dropFirst()
    var values: [TOMLValue] = []
    while true {
      skipBlanks()
      if peek == "]" { break }
      if isAtEndOrComment { throw error("'\(key)': expected ']' in the same line") }
      values.append(try value(of: key))
      skipBlanks()
      if peek == "," { rest = rest.dropFirst() } else if peek != "]" { throw error("'\(key)': expected ',' or ']'") }
    }
    rest = rest.dropFirst()
    return values
  }

  private mutating func string() throws(TOMLError) -> String {
    let quote = rest.removeFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == quote { return text }
      if character == "\\" && quote == "\"" { text.append(try escape()) } else { text.append(character) }
    }
    throw error("a text is not closed by \(quote)")
  }

  private mutating func escape() throws(TOMLError) -> Character {
    let letter = rest.popFirst()
    switch letter {
    case "\"", "\\": return letter ?? "\\"
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "u", "U":
      let hex = rest.prefix(letter == "u" ? 4 : 8)
      rest = rest.dropFirst(hex.count)
      if let scalar = UInt32(hex, radix: 16).flatMap(Unicode.Scalar.init) { return Character(scalar) }
      throw error("'\\\(letter ?? "u")\(hex)' is no Unicode scalar")
    default:
      throw error("'\\\(letter.map(String.init) ?? "")' is no escape; write '\\\\' for a backslash")
    }
  }

  private func error(_ message: String) -> TOMLError {
    TOMLError(line: line, message)
  }
}
