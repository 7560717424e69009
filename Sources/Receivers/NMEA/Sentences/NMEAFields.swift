/// The comma-separated fields of one framed sentence, read in place.
///
/// Valid only inside the call that it is handed to: it points into the caller's bytes. Every accessor takes
/// any index; a field that the sentence does not have is empty.
struct NMEAFields {
  /// The byte after `$` or `!`.
  let base: UnsafePointer<UInt8>
  /// Where each field begins, counted from `base`, and one past the end of the last field plus one.
  let starts: UnsafePointer<UInt16>
  /// How many fields there are, the address included.
  let count: Int

  @inline(__always)
  func length(_ index: Int) -> Int {
    index < count ? Int(starts[index + 1]) - Int(starts[index]) - 1 : 0
  }

  @inline(__always)
  func isEmpty(_ index: Int) -> Bool {
    length(index) <= 0
  }

  /// The field's first byte, or 0 when it is empty.
  @inline(__always)
  func first(_ index: Int) -> UInt8 {
    isEmpty(index) ? 0 : base[Int(starts[index])]
  }

  /// The field's bytes.
  @inline(__always)
  func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let length = length(index)
    return length > 0
      ? UnsafeBufferPointer(start: base + Int(starts[index]), count: length) : UnsafeBufferPointer(start: nil, count: 0)
  }

  /// Whether the field is exactly this text.
  func matches(_ index: Int, _ text: StaticString) -> Bool {
    let length = length(index)
    guard length == text.utf8CodeUnitCount else { return false }
    let field = base + Int(starts[index])
    for i in 0..<length where field[i] != text.utf8Start[i] { return false }
    return true
  }

  /// The field's leading digits as a number, 0 when there are none; C's `atoi`, as gpsd reads counts.
  @inline(__always)
  func int(_ index: Int) -> Int {
    let length = length(index)
    guard length > 0 else { return 0 }
    let p = base + Int(starts[index])
    // Nearly all counts, angles and satellite numbers have one to three digits.
    let first = p[0] &- 0x30
    if length <= 3, first < 10 {
      if length == 1 { return Int(first) }
      let second = p[1] &- 0x30
      if second < 10 {
        if length == 2 { return Int(first &* 10 &+ second) }
        let third = p[2] &- 0x30
        if third < 10 { return Int(first) * 100 + Int(second &* 10 &+ third) }
      }
    }
    return longInt(p, length)
  }

  private func longInt(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int {
    var p = start
    let end = p + min(length, 9)
    var negative = false
    if p[0] == UInt8(ascii: "-") {
      negative = true
      p += 1
    }
    var value = 0
    while p < end, let digit = Self.digit(p[0]) {
      value = value * 10 + digit
      p += 1
    }
    return negative ? -value : value
  }

  @inline(__always)
  static func digit(_ byte: UInt8) -> Int? {
    let value = byte &- 0x30
    return value < 10 ? Int(value) : nil
  }
}
