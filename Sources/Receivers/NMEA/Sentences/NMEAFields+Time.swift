extension NMEAFields {
  /// `hhmmss` with any decimals, as nanoseconds since midnight.
  @inline(__always)
  func timeOfDay(_ index: Int, _ nanoseconds: inout Int64) -> NMEAFieldResult {
    let length = length(index)
    guard length > 0 else { return .missing }
    guard length >= 6 else { return .malformed }
    let p = base + Int(starts[index])
    guard let hours = Self.pair(p), let minutes = Self.pair(p + 2), let seconds = Self.pair(p + 4) else {
      return .malformed
    }
    var fraction: Int64 = 0
    if length > 6 {
      guard p[6] == UInt8(ascii: ".") else { return .malformed }
      var unit: Int64 = 100_000_000
      for i in 7..<max(7, length) {
        guard let digit = Self.digit(p[i]) else { return .malformed }
        fraction += Int64(digit) * unit
        unit /= 10
      }
    }
    // 60 is a leap second.
    guard hours < 24, minutes < 60, seconds <= 60 else { return .outOfRange }
    nanoseconds = Int64((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + fraction
    return .ok
  }

  /// `ddmmyy` as days since 1970-01-01. Years 80 … 99 are of the twentieth century, as in gpsd.
  @inline(__always)
  func shortDate(_ index: Int, _ days: inout Int) -> NMEAFieldResult {
    let length = length(index)
    guard length > 0 else { return .missing }
    let p = base + Int(starts[index])
    guard length == 6, let day = Self.pair(p), let month = Self.pair(p + 2), let year = Self.pair(p + 4) else {
      return .malformed
    }
    guard let value = CivilDate.days(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day) else {
      return .outOfRange
    }
    days = value
    return .ok
  }

  @inline(__always)
  private static func pair(_ p: UnsafePointer<UInt8>) -> Int? {
    let tens = p[0] &- 0x30
    let ones = p[1] &- 0x30
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
  }
}
