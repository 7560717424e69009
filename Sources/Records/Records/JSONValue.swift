import Platform

/// A JSON value as a tree, for what is read once and not for each fix.
package indirect enum JSONValue {
  case number(Double)
  case string(String)
  case boolean(Bool)
  case array([JSONValue])
  case object([String: JSONValue])
  /// Also a number or a text that cannot be read.
  case null

  package init(_ value: JSONReader.Value) {
    switch value {
    case .number(let bytes): self = Double(decimal: bytes).map { .number($0) } ?? .null
    case .string(let bytes): self = JSONReader.text(bytes).map { .string($0) } ?? .null
    case .boolean(let isTrue): self = .boolean(isTrue)
    case .null: self = .null
    // It has been read already, so there is no error.
    case .nested(let bytes) where bytes.first == UInt8(ascii: "["):
      var (reader, elements) = (JSONReader(bytes), [JSONValue]())
      try? reader.forEachElement { elements.append(JSONValue($0)) }
      self = .array(elements)
    case .nested(let bytes): self = (try? JSONValue(object: bytes)) ?? .null
    }
  }

  /// Reads the object that is the whole text.
  package init(object text: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var (reader, members) = (JSONReader(text), [String: JSONValue]())
    try reader.forEachMember { members[String(decoding: $0, as: UTF8.self)] = JSONValue($1) }
    self = .object(members)
  }

  package subscript(name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  package var number: Double? { if case .number(let number) = self { number } else { nil } }
  package var string: String? { if case .string(let string) = self { string } else { nil } }
  package var isTrue: Bool { if case .boolean(true) = self { true } else { false } }
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
}
