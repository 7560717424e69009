extension NMEAFields {
  /// 10⁰ … 10¹⁸, all exact.
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]

  /// A decimal number, NaN when the field is empty or is none.
  ///
  /// Digits are collected in an integer and divided once, so up to 15 significant digits are correctly rounded.
  @inline(__always)
  func number(_ index: Int) -> Double {
    let length = length(index)
    guard length > 0 else { return .nan }
    var p = base + Int(starts[index])
    let end = p + length
    while p < end, p[0] == UInt8(ascii: " ") { p += 1 }
    guard p < end else { return .nan }
    var negative = false
    if p[0] == UInt8(ascii: "-") {
      negative = true
      p += 1
    } else if p[0] == UInt8(ascii: "+") {
      p += 1
    }
    var mantissa: UInt64 = 0
    var digits = 0
    var decimals = 0
    var sawDigit = false
    var sawPoint = false
    while p < end {
      let byte = p[0]
      let value = byte &- 0x30
      if value < 10 {
        sawDigit = true
        // Past 18 digits only the magnitude matters; receivers send at most a dozen.
        if digits < 18 {
          mantissa = mantissa &* 10 &+ UInt64(value)
          if mantissa != 0 { digits += 1 }
          if sawPoint { decimals += 1 }
        } else if !sawPoint {
          return .nan
        }
      } else if byte == UInt8(ascii: "."), !sawPoint {
        sawPoint = true
      } else if byte == UInt8(ascii: " ") {
        break
      } else {
        return .nan
      }
      p += 1
    }
    guard sawDigit, decimals < 19 else { return .nan }
    let value = Double(mantissa)
    let scaled = decimals == 0 ? value : value / Self.power(decimals)
    return negative ? -scaled : scaled
  }

  @inline(__always)
  static func power(_ exponent: Int) -> Double {
    switch exponent {
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    default: powersOfTen[exponent]
    }
  }
}
