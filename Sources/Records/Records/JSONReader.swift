/// The only JSON reader. It visits the members of an object without building a tree.
package struct JSONReader {
  /// The value of a member. The bytes are part of the text that is read.
  package enum Value {
    /// The bytes between the quotes, with their escapes; `text(_:)` decodes them.
    case string(UnsafeBufferPointer<UInt8>)
    /// The bytes of a number, which may still be invalid; `Double.init(decimal:)` reads them.
    case number(UnsafeBufferPointer<UInt8>)
    case boolean(Bool)
    /// The bytes of an object or an array, with its brackets, for another reader.
    case nested(UnsafeBufferPointer<UInt8>)
    case null
  }

  private static let deepest = 32

  private let bytes: UnsafeBufferPointer<UInt8>
  /// How many bytes were read; all of them if an object ended too early.
  package private(set) var index = 0
  /// The name of the last member of the object that was begun, whose value may be incomplete.
  package private(set) var lastKey: UnsafeBufferPointer<UInt8>?

  package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Calls `body` for each member of the object, which must be the whole text.
  ///
  /// - Throws: `JSONError`, after `body` has received the members before the error.
  package mutating func forEachMember(
    _ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: Value) -> Void
  ) throws(JSONError) {
    try forEachMemberOfFirst(body)
    skipSpace()
    if index < bytes.count { throw unexpected() }
  }

  /// Calls `body` for each member of the object with which the text begins.
  package mutating func forEachMemberOfFirst(
    _ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: Value) -> Void
  ) throws(JSONError) {
    skipSpace()
    try members(depth: 0, body)
  }

  package static func forEachMember(
    of text: [UInt8], _ body: (_ key: UnsafeBufferPointer<UInt8>, _ value: Value) -> Void
  ) throws(JSONError) {
    try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      var reader = JSONReader(bytes)
      try reader.forEachMember(body)
    }
  }

  /// Calls `body` for each element of the array, which must be the whole text.
  package mutating func forEachElement(_ body: (_ value: Value) -> Void) throws(JSONError) {
    skipSpace()
    try elements(depth: 0, body)
    skipSpace()
    if index < bytes.count { throw unexpected() }
  }

  private mutating func members(depth: Int, _ body: (UnsafeBufferPointer<UInt8>, Value) -> Void) throws(JSONError) {
    try expect(UInt8(ascii: "{"))
    skipSpace()
    if peek == UInt8(ascii: "}") { return index += 1 }
    while true {
      skipSpace()
      let key = try string()
      if depth == 0 { lastKey = key }
      skipSpace()
      try expect(UInt8(ascii: ":"))
      skipSpace()
      body(key, try value(depth: depth + 1))
      skipSpace()
      if peek == UInt8(ascii: "}") { return index += 1 }
      try expect(UInt8(ascii: ","))
    }
  }

  private mutating func value(depth: Int) throws(JSONError) -> Value {
    guard depth < Self.deepest else { throw JSONError(description: "is nested too deeply") }
    switch peek {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"):
      let start = index
      try members(depth: depth) { _, _ in }
      return .nested(UnsafeBufferPointer(rebasing: bytes[start..<index]))
    case UInt8(ascii: "["):
      let start = index
      try elements(depth: depth) { _ in }
      return .nested(UnsafeBufferPointer(rebasing: bytes[start..<index]))
    case UInt8(ascii: "t"):
      try expectWord("true")
      return .boolean(true)
    case UInt8(ascii: "f"):
      try expectWord("false")
      return .boolean(false)
    case UInt8(ascii: "n") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u"):
      try expectWord("null")
      return .null
    default:
      var end = index
      while end < bytes.count, Self.isNumeric(bytes[end]) { end += 1 }
      var text = UnsafeBufferPointer(rebasing: bytes[index..<end])
      if text.isEmpty || text.equals("-") {
        // Some writers use NaN and Infinity, which are not JSON.
        while end < bytes.count, Self.isLetter(bytes[end]) { end += 1 }
        text = UnsafeBufferPointer(rebasing: bytes[index..<end])
        guard text.isNotFinite else { throw unexpected() }
        index = end
        return .null
      }
      index = end
      return .number(text)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private mutating func elements(depth: Int, _ body: (Value) -> Void) throws(JSONError) {
    try expect(UInt8(ascii: "["))
    skipSpace()
    if peek == UInt8(ascii: "]") { return index += 1 }
    while true {
      skipSpace()
      body(try value(depth: depth + 1))
      skipSpace()
      if peek == UInt8(ascii: "]") { return index += 1 }
      try expect(UInt8(ascii: ","))
    }
  }

  private mutating func string() throws(JSONError) -> UnsafeBufferPointer<UInt8> {
    try expect(UInt8(ascii: "\""))
    var end = index
    while end < bytes.count {
      switch bytes[end] {
      case UInt8(ascii: "\""):
        defer { index = end + 1 }
        return UnsafeBufferPointer(rebasing: bytes[index..<end])
      case UInt8(ascii: "\\"): end += 2
      case 0..<0x20:
        index = end
        throw unexpected()
      default: end += 1
      }
    }
    index = bytes.count
    throw unexpected()
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  private mutating func expect(_ byte: UInt8) throws(JSONError) {
    guard peek == byte else { throw unexpected() }
    index += 1
  }

  private mutating func expectWord(_ text: StaticString) throws(JSONError) {
    for offset in 0..<text.utf8CodeUnitCount {
      guard peek == text.utf8Start[offset] else { throw unexpected() }
      index += 1
    }
  }

  private func unexpected() -> JSONError {
    let isMiddle = index < bytes.count
    return JSONError(description: isMiddle ? "is not JSON at column \(index + 1)" : "ends in the middle of a record")
  }

  /// The text of a string's bytes; `nil` if an escape is invalid.
  package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(validating: bytes, as: UTF8.self) }
    var units: [UInt16] = []
    guard let plain = String(validating: bytes, as: UTF8.self) else { return nil }
    var rest = Array(plain.utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == 0x5C else {
        units.append(unit)
        continue
      }
      switch rest.popFirst().flatMap(UnicodeScalar.init) {
      case "n": units.append(0x0A)
      case "t": units.append(0x09)
      case "r": units.append(0x0D)
      case "b": units.append(0x08)
      case "f": units.append(0x0C)
      case "u":
        let digits = String(decoding: rest.prefix(4), as: UTF16.self)
        guard digits.utf8.count == 4, let number = UInt16(digits, radix: 16) else { return nil }
        units.append(number)
        rest = rest.dropFirst(4)
      case let character? where character == "\"" || character == "\\" || character == "/":
        units.append(UInt16(character.value))
      default: return nil
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}

package struct JSONError: Error, Hashable, CustomStringConvertible {
  /// The problem in words that follow the place: "is not JSON at column 9".
  package var description: String
}

extension UnsafeBufferPointer<UInt8> {
  @inlinable
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }
}
