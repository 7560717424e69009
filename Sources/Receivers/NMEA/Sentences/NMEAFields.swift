import Platform

/// The comma-separated fields of one framed sentence, read in place.
///
/// The fields point into the caller's bytes and are valid only during the call that receives them. Every accessor
/// accepts any index; a field that the sentence does not have is empty.
struct NMEAFields {
  /// The byte after `$` or `!`.
  let base: UnsafePointer<UInt8>
  /// The offset of each field from `base`, and one past the end of the last field plus one.
  let starts: UnsafeBufferPointer<UInt16>
  /// The number of fields, including the address.
  let count: Int

  /// Whether the sentence begins with `!`, as AIS does.
  var isEncapsulated: Bool { base[-1] == UInt8(ascii: "!") }

  /// The second letter of the talker: P of GP.
  var talker: UInt8 { base[1] }

  /// Whether the talker is PQ, which Quectel uses for the satellites of more than one constellation.
  var isQuectels: Bool { base[0] == UInt8(ascii: "P") && base[1] == UInt8(ascii: "Q") }

  func length(_ index: Int) -> Int { index < count ? Int(starts[index + 1]) - Int(starts[index]) - 1 : 0 }

  func isEmpty(_ index: Int) -> Bool { length(index) <= 0 }

  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let length = length(index)
    return length > 0
      ? UnsafeBufferPointer(start: base + Int(starts[index]), count: length) : UnsafeBufferPointer(start: nil, count: 0)
  }

  /// The field's first letter; `nil` when it is empty.
  func letter(_ index: Int) -> Unicode.Scalar? { isEmpty(index) ? nil : Unicode.Scalar(base[Int(starts[index])]) }

  func matches(_ index: Int, _ text: StaticString) -> Bool {
    bytes(index).elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The field's leading digits as a number, 0 without digits, as in C's `atoi`, with which gpsd reads counts.
  func int(_ index: Int) -> Int {
    let length = min(length(index), 9)
    guard length > 0 else { return 0 }
    let field = base + Int(starts[index])
    let isNegative = field[0] == UInt8(ascii: "-")
    var value = 0
    var i = isNegative ? 1 : 0
    while i < length, let digit = Self.digit(field[i]) {
      value = value * 10 + Int(digit)
      i += 1
    }
    return isNegative ? -value : value
  }

  /// A decimal number; `nil` when the field is empty or not a number. Leading spaces are allowed, and any text after a
  /// space that follows the number.
  func number(_ index: Int) -> Double? {
    let field = bytes(index)
    guard let start = field.firstIndex(where: { $0 != UInt8(ascii: " ") }) else { return nil }
    let text = field[start...].prefix { $0 != UInt8(ascii: " ") }
    // No number of NMEA 0183 has an exponent.
    guard !text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
    return Double(decimal: UnsafeBufferPointer(rebasing: text))
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }
}

/// The value of a field, or of fields that belong together.
enum FieldValue<Value> {
  case value(Value)
  /// The field, or another that it needs, is empty: the receiver does not know the value.
  case missing
  /// The field violates the sentence's definition.
  case malformed
  /// The field is well-formed, but no such angle, time or date exists.
  case outOfRange
}

extension NMEAFields {
  /// Reads latitude, hemisphere, longitude and hemisphere from four fields, as degrees to the north and to the east.
  func position(_ index: Int) -> FieldValue<(latitude: Double, longitude: Double)> {
    if isEmpty(index) || isEmpty(index + 1) || isEmpty(index + 2) || isEmpty(index + 3) { return .missing }
    guard var latitude = angle(index), var longitude = angle(index + 2) else { return .malformed }
    switch letter(index + 1) {
    case "N", "n": break
    case "S", "s": latitude.negate()
    default: return .malformed
    }
    switch letter(index + 3) {
    case "E", "e": break
    case "W", "w": longitude.negate()
    default: return .malformed
    }
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return .outOfRange }
    // Receivers without a position may send exactly 0° and 0°, even as a fix.
    if latitude == 0, longitude == 0 { return .missing }
    return .value((latitude, longitude))
  }

  /// Reads `dddmm.mmmm`, with any number of decimals, as degrees.
  ///
  /// Degrees and minutes become one integer that is divided once, so the result is correctly rounded.
  private func angle(_ index: Int) -> Double? {
    let field = bytes(index)
    var whole: UInt64 = 0
    var i = 0
    while i < field.count, let digit = Self.digit(field[i]) {
      whole = whole &* 10 &+ UInt64(digit)
      i += 1
    }
    guard 1...9 ~= i else { return nil }
    var scale: UInt64 = 1
    if i < field.count {
      guard field[i] == UInt8(ascii: ".") else { return nil }
      for byte in field[(i + 1)...] {
        guard let digit = Self.digit(byte) else { return nil }
        // Ten decimals of a minute are 0.2 micrometres. The range check catches values that are too large.
        if scale == 10_000_000_000 { continue }
        whole = whole * 10 + UInt64(digit)
        scale *= 10
      }
    }
    let hundred = 100 * scale
    let minutes = whole / hundred * 60 * scale + whole % hundred
    return Double(minutes) / Double(60 * scale)
  }

  /// Reads `hhmmss` with any decimals as nanoseconds since midnight.
  func timeOfDay(_ index: Int) -> FieldValue<Int64> {
    let field = bytes(index)
    if field.isEmpty { return .missing }
    guard field.count >= 6, let hours = pair(field, 0), let minutes = pair(field, 2), let seconds = pair(field, 4)
    else { return .malformed }
    var fraction: Int64 = 0
    if field.count > 6 {
      guard field[6] == UInt8(ascii: ".") else { return .malformed }
      var unit: Int64 = 100_000_000
      for byte in field[7...] {
        guard let digit = Self.digit(byte) else { return .malformed }
        fraction += Int64(digit) * unit
        unit /= 10
      }
    }
    // 60 is a leap second.
    guard hours < 24, minutes < 60, seconds <= 60 else { return .outOfRange }
    return .value(Int64((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + fraction)
  }

  /// Reads `ddmmyy` as days since 1970-01-01. Years 80 … 99 are of the twentieth century, as in gpsd.
  func shortDate(_ index: Int) -> FieldValue<Int> {
    let field = bytes(index)
    if field.isEmpty { return .missing }
    guard field.count == 6, let day = pair(field, 0), let month = pair(field, 2), let year = pair(field, 4) else {
      return .malformed
    }
    guard let date = CivilDate(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day) else {
      return .outOfRange
    }
    return .value(date.daysSince1970)
  }

  private func pair(_ field: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    guard let tens = Self.digit(field[index]), let ones = Self.digit(field[index + 1]) else { return nil }
    return Int(tens) * 10 + Int(ones)
  }
}
