/// The comma-separated fields of one framed sentence, read in place.
///
/// The fields point into the caller's bytes and are valid only during the call that receives them. Every accessor
/// accepts any index; a field that the sentence does not have is empty.
struct NMEAFields {
  /// The byte after `$` or `!`.
  private let base: UnsafePointer<UInt8>
  /// The offset of each field from `base`, and one past the end of the last field plus one.
  private let starts: UnsafeBufferPointer<UInt16>
  /// The number of fields, including the address.
  let count: Int

  init(base: UnsafePointer<UInt8>, starts: UnsafeBufferPointer<UInt16>, count: Int) {
    self.base = base
    self.starts = starts
    self.count = count
  }

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

  /// Whether the field is exactly this text.
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
  ///
  /// Digits are collected in an integer and divided once, so up to 15 significant digits are correctly rounded.
  func number(_ index: Int) -> Double? {
    let field = bytes(index)
    var i = 0
    while i < field.count, field[i] == UInt8(ascii: " ") { i += 1 }
    guard i < field.count else { return nil }
    let isNegative = field[i] == UInt8(ascii: "-")
    if isNegative || field[i] == UInt8(ascii: "+") { i += 1 }
    let start = i
    var mantissa = 0
    var significant = 0
    while i < field.count, let digit = Self.digit(field[i]) {
      // Past 18 digits only the magnitude matters; receivers send at most a dozen.
      if significant == 18 { return nil }
      mantissa = mantissa &* 10 &+ Int(digit)
      if mantissa != 0 { significant += 1 }
      i += 1
    }
    var hasDigit = i > start
    var decimals = 0
    var scale = 1
    if i < field.count, field[i] == UInt8(ascii: ".") {
      i += 1
      while i < field.count, let digit = Self.digit(field[i]) {
        hasDigit = true
        if significant < 18 {
          mantissa = mantissa &* 10 &+ Int(digit)
          if mantissa != 0 { significant += 1 }
          decimals += 1
          scale = scale &* 10
        }
        i += 1
      }
    }
    // All powers of ten up to the 18th are exact.
    guard hasDigit, i == field.count || field[i] == UInt8(ascii: " "), decimals < 19 else { return nil }
    let value = Double(mantissa) / Double(scale)
    return isNegative ? -value : value
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }
}
