import FoundationEssentials
import LocationKit

// The only JSON writer. Names come from the program and need no escaping. Commas are added automatically.

extension RecordBuffer {
  /// Appends the name of a member and a colon; its value comes next.
  @inline(__always)
  package mutating func appendKey(_ name: StaticString) {
    appendComma()
    let length = name.utf8CodeUnitCount
    append(most: length + 3) { out in
      out[0] = UInt8(ascii: "\"")
      (out + 1).update(from: name.utf8Start, count: length)
      out[length + 1] = UInt8(ascii: "\"")
      out[length + 2] = UInt8(ascii: ":")
      return length + 3
    }
  }

  @inline(__always)
  package mutating func appendMember(_ name: StaticString, _ value: Double?, places: DecimalPlaces = .measure) {
    guard let value, Self.isWritable(value, places: places) else { return }
    appendKey(name)
    append(value, places: places)
  }

  @inline(__always)
  package mutating func appendMember(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    appendKey(name)
    append(value)
  }

  @inline(__always)
  package mutating func appendMember(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    appendKey(name)
    appendJSONString(value)
  }

  @inline(__always)
  package mutating func appendMember(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    appendKey(name)
    append(value ? "true" : "false")
  }

  /// Appends a member whose name comes from outside the program and may need escaping.
  package mutating func appendMember(named name: String, _ value: Bool) {
    appendComma()
    appendJSONString(name)
    append(value ? ":true" : ":false")
  }

  package mutating func appendNull(_ name: StaticString) {
    appendKey(name)
    append("null")
  }

  @inline(__always)
  package mutating func appendMember(_ name: StaticString, _ value: Date?) {
    guard let value, Self.isWritable(value) else { return }
    appendKey(name)
    appendJSONTime(value)
  }

  /// Appends the members of a record that are known and can be written, except those that only the journal keeps.
  mutating func appendMembers<Record: ListedRecord>(of record: Record) {
    var writer = JSONMemberWriter(buffer: self, record: record)
    Record.showMembers(to: &writer)
    self = writer.buffer
  }

  /// Appends `latitude` and `longitude`, or nothing if one of them cannot be written.
  package mutating func appendMembers(of coordinate: LocationCoordinate2D) {
    guard coordinate.isWritable else { return }
    appendMember("latitude", coordinate.latitude, places: .angle)
    appendMember("longitude", coordinate.longitude, places: .angle)
  }

  package mutating func appendObject(_ name: StaticString? = nil, _ body: (inout RecordBuffer) -> Void) {
    if let name { appendKey(name) } else { appendComma() }
    append("{")
    body(&self)
    append("}")
  }

  package mutating func appendArray<Element>(
    _ elements: some Sequence<Element>, _ body: (inout RecordBuffer, Element) -> Void
  ) {
    append("[")
    for element in elements {
      appendComma()
      body(&self, element)
    }
    append("]")
  }

  package mutating func appendArray<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ body: (inout RecordBuffer, Element) -> Void
  ) {
    appendKey(name)
    appendArray(elements, body)
  }

  /// Appends a number, or `null` if it is unknown or cannot be written.
  package mutating func appendJSONNumber(_ value: Double?, places: DecimalPlaces = .measure) {
    if value.map({ append($0, places: places) }) != true { append("null") }
  }

  /// Appends a time in quotes, or `null` if it is unknown or cannot be written.
  package mutating func appendJSONTime(_ time: Date?) {
    guard let time, Self.isWritable(time) else { return append("null") }
    append("\"")
    append(time)
    append("\"")
  }

  @inline(__always)
  private mutating func appendComma() {
    switch last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","), 0x0A: break
    default: append(byte: UInt8(ascii: ","))
    }
  }

  package mutating func appendJSONString(_ string: String) {
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
func writeEscaped(_ byte: UInt8, to out: UnsafeMutablePointer<UInt8>) -> Int {
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

/// Appends the members of a record to a JSON object that are known and can be written, except those that only the
/// journal keeps. It owns the buffer while it does.
private struct JSONMemberWriter<Record: Sendable>: ~Copyable, RecordMemberVisitor {
  var buffer: RecordBuffer
  let record: Record

  @inline(__always)
  mutating func member(_ name: StaticString, _ access: RecordMember<Record>.Access, _ use: RecordMemberUse) {
    if use.contains(.kept) { return }
    switch access {
    case .time(let get, _): buffer.appendMember(name, get(record))
    case .angle(let get, _): buffer.appendMember(name, get(record), places: .angle)
    case .measure(let get, _): buffer.appendMember(name, get(record))
    case .whole(let get, _): buffer.appendMember(name, get(record))
    case .text(let get, _): buffer.appendMember(name, get(record))
    case .flag(let get, _): buffer.appendMember(name, get(record))
    }
  }
}
