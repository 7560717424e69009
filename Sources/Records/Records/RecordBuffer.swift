import Platform

import func Glibc.fma

/// Bytes under construction: a growing buffer that a formatter fills and its owner empties.
///
/// A record needs no allocation and no bounds check per byte, because a formatter reserves the most that a record can
/// need and then stores.
public struct RecordBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The number of bytes.
  public private(set) var count = 0
  /// The last appended day. Computing the date is most of the work, and successive fixes share it.
  var day = (number: Int64.min, date: CivilDate(daysSince1970: 0))

  /// Creates an empty buffer with room for `capacity` bytes; it grows if necessary.
  public init(capacity: Int = 1024) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  @inline(__always)
  var last: UInt8? { count > 0 ? base[count - 1] : nil }

  package static func bytes(capacity: Int = 512, _ fill: (inout RecordBuffer) -> Void) -> [UInt8] {
    var buffer = RecordBuffer(capacity: capacity)
    fill(&buffer)
    return buffer.withUnsafeBytes { Array($0) }
  }

  /// Removes all bytes and keeps the capacity.
  public mutating func removeAll() { count = 0 }

  package mutating func removeLast(_ length: Int) { count -= min(max(length, 0), count) }

  /// Gives `body` the bytes, which are valid while it runs.
  @inlinable
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Appends a text of the program unchanged.
  @inline(__always)
  public mutating func append(_ literal: StaticString) {
    let length = literal.utf8CodeUnitCount
    reserve(length)
    (base + count).update(from: literal.utf8Start, count: length)
    count += length
  }

  /// Appends one byte.
  @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends a text unchanged.
  public mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: UnsafeRawBufferPointer($0)) }
  }

  /// Appends bytes.
  public mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends the bytes that `fill` stores in a space of `most` bytes; `fill` returns their number.
  @inline(__always)
  mutating func append(most: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
    reserve(most)
    count += fill(base + count)
  }

  @inline(__always)
  private mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(by: length) }
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let larger = max(capacity * 2, count + length)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }
}

// MARK: Numbers

package enum DecimalPlaces: Sendable, Hashable {
  /// Nine decimals: degrees of latitude and longitude, to a tenth of a millimetre on the ground, as many as gpsd
  /// writes.
  case angle
  /// Four decimals: metres, metres per second, degrees of course. gpsd writes three or four; a thousandth of a knot is
  /// kept.
  case measure

  var count: Int { self == .angle ? 9 : 4 }

  var scale: Double { self == .angle ? 1_000_000_000 : 10_000 }

  /// Splits a scaled number at its point. Each divisor is a constant, because dividing by a constant is quicker.
  @inline(__always)
  func split(_ scaled: UInt64) -> (whole: UInt64, fraction: UInt64) {
    let (whole, fraction) =
      self == .angle
      ? scaled.quotientAndRemainder(dividingBy: 1_000_000_000) : scaled.quotientAndRemainder(dividingBy: 10_000)
    return (whole, fraction)
  }
}

/// Two digits at a time halve the divisions: "00" "01" … "99".
private let digitPairs: StaticString = """
  00010203040506070809101112131415161718192021222324252627282930313233343536373839\
  40414243444546474849505152535455565758596061626364656667686970717273747576777879\
  8081828384858687888990919293949596979899
  """

extension RecordBuffer {
  @inline(__always)
  package mutating func append(_ value: Int) {
    append(most: 20) { out in
      var length = 0
      if value < 0 {
        out[0] = UInt8(ascii: "-")
        length = 1
      }
      return length + writeDigits(UInt64(value.magnitude), to: out + length)
    }
  }

  /// Appends a number with zeros before it up to `digits`, at most 20; 0 for a negative one.
  mutating func append(padded value: Int, digits: Int) {
    append(most: 20) { writeDigits(UInt64(clamping: value), atLeast: digits, to: $0) }
  }

  /// Appends a number with at least one and at most `places` decimals, without trailing zeros, and with a point in
  /// every locale. A value that is not finite, or has 15 digits or more before the point, is not written: returns
  /// false.
  ///
  /// The result is the decimal of that many places that is nearest to the exact binary value, halves away from zero, up
  /// to 15 digits in all; beyond that it is as exact as the value. A negative value that rounds to zero is "0.0".
  @inline(__always)
  @discardableResult
  package mutating func append(_ value: Double, places: DecimalPlaces) -> Bool {
    guard let scaled = Self.scaled(value, by: places.scale) else { return false }
    append(most: 32) { Self.writeDecimal(scaled, places: places, to: $0) }
    return true
  }

  @inline(__always)
  package static func isWritable(_ value: Double, places: DecimalPlaces) -> Bool {
    value.magnitude * places.scale < 9e18
  }

  /// `value` times `scale`, rounded to the nearest integer; `nil` if it does not fit or is not a number.
  @inline(__always)
  private static func scaled(_ value: Double, by scale: Double) -> Int64? {
    let product = value * scale
    // NaN fails this comparison too. 9e18 is below Int64.max.
    guard product.magnitude < 9e18 else { return nil }
    let whole = Int64(product)
    let rest = product - Double(whole)
    // Only a tie can be wrong: rounding the product may have hidden on which side of it the exact product lies.
    if rest.magnitude == 0.5, fma(value, scale, -product) * product < 0 { return whole }
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0)
  }

  private static func writeDecimal(
    _ scaled: Int64, places: DecimalPlaces, to start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var out = start
    if scaled < 0 {
      out[0] = UInt8(ascii: "-")
      out += 1
    }
    let (whole, fraction) = places.split(scaled.magnitude)
    out += writeDigits(whole, to: out)
    out[0] = UInt8(ascii: ".")
    out += 1
    write(fraction, digits: places.count, to: out)
    var length = places.count
    while length > 1 && out[length - 1] == UInt8(ascii: "0") { length -= 1 }
    return out - start + length
  }
}

@inline(__always)
func writePair(_ value: Int, to out: UnsafeMutablePointer<UInt8>) {
  let pair = digitPairs.utf8Start + 2 &* value
  out[0] = pair[0]
  out[1] = pair[1]
}

@inline(__always)
private func writeDigits(_ value: UInt64, atLeast digits: Int = 1, to out: UnsafeMutablePointer<UInt8>) -> Int {
  var length = 1
  var bound: UInt64 = 10
  while length < 20 && (value >= bound || length < digits) {
    length += 1
    if length == 20 { break }
    bound &*= 10
  }
  write(value, digits: length, to: out)
  return length
}

/// Stores the last `digits` digits of a number.
@inline(__always)
private func write(_ value: UInt64, digits: Int, to out: UnsafeMutablePointer<UInt8>) {
  var rest = value
  var position = digits
  while position >= 2 {
    let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
    position -= 2
    writePair(Int(truncatingIfNeeded: pair), to: out + position)
    rest = quotient
  }
  if position == 1 { out[0] = UInt8(truncatingIfNeeded: rest) &+ UInt8(ascii: "0") }
}
