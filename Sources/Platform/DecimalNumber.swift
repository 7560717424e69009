extension Double {
  /// Reads a decimal number such as `-12.5` or `1.2e-3`, as exactly as `Double(_:)` does, without making a string
  /// first.
  ///
  /// `nil` for anything else: other characters, no digit, hexadecimal, `nan`, and values out of the range of `Double`.
  package init?(decimal text: UnsafeBufferPointer<UInt8>) {
    var rest = text[...]
    var isNegative = false
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest.removeFirst()
    }
    var mantissa: UInt64 = 0
    var digits = 0
    var scale = 0
    var isFraction = false
    while let byte = rest.first {
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if byte >= 48, byte <= 57 {
        digits += 1
        if digits <= 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 48) }
        if isFraction { scale -= 1 }
      } else {
        break
      }
      rest.removeFirst()
    }
    guard digits > 0 else { return nil }
    // Both numbers are exact here, so their quotient is rounded only once.
    if rest.isEmpty, digits <= 19, mantissa < 1 << 53, scale >= -22 {
      let value = Double(mantissa) / powersOfTen[-scale]
      self = isNegative ? -value : value
      return
    }
    guard let value = generalNumber(text, exponent: rest) else { return nil }
    self = value
  }

  package init?(decimal text: some StringProtocol) {
    var text = String(text)
    guard let value = text.withUTF8({ Double(decimal: $0) }) else { return nil }
    self = value
  }
}

private let powersOfTen: [Double] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]

private func generalNumber(_ text: UnsafeBufferPointer<UInt8>, exponent: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
  guard text.count <= 400, exponent.isEmpty || exponent.first == 0x65 || exponent.first == 0x45 else { return nil }
  guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
  return value
}
