extension Double {
  /// Reads a decimal number such as `-12.5` or `1.2e-3`, as exactly as `Double(_:)` does, without making a string
  /// first.
  ///
  /// `nil` for anything else: other characters, no digit, hexadecimal, `nan`, and values out of the range of `Double`.
  package init?(decimal text: UnsafeBufferPointer<UInt8>) {
    let isNegative = text.first == UInt8(ascii: "-")
    var index = isNegative || text.first == UInt8(ascii: "+") ? 1 : 0
    var mantissa: UInt64 = 0
    var digits = 0
    var divisor = 1.0
    var isFraction = false
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if byte >= 48, byte <= 57 {
        digits += 1
        if digits <= 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 48) }
        if isFraction { divisor *= 10 }
      } else {
        break
      }
      index += 1
    }
    guard digits > 0 else { return nil }
    // Both numbers are exact here, so their quotient is rounded only once.
    if index == text.count, digits <= 19, mantissa < 1 << 53, divisor <= 1e22 {
      let value = Double(mantissa) / divisor
      self = isNegative ? -value : value
      return
    }
    guard let value = generalNumber(text, exponent: text[index...]) else { return nil }
    self = value
  }

  package init?(decimal text: some StringProtocol) {
    var text = String(text)
    guard let value = text.withUTF8({ Double(decimal: $0) }) else { return nil }
    self = value
  }
}

private func generalNumber(_ text: UnsafeBufferPointer<UInt8>, exponent: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
  guard text.count <= 400, exponent.isEmpty || exponent.first == 0x65 || exponent.first == 0x45 else { return nil }
  guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
  return value
}
