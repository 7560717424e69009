/// Why a field gave no value.
enum NMEAFieldResult {
  case ok
  /// The field, or one that it needs, is empty: the receiver does not know.
  case missing
  /// Not what the sentence's definition says.
  case malformed
  /// Well-formed, but no such angle, time or date exists.
  case outOfRange
}

extension NMEAFields {
  /// Reads latitude, its hemisphere, longitude and its hemisphere from four fields.
  ///
  /// Degrees and minutes become one integer that is divided once, so the result is correctly rounded.
  @inline(__always)
  func position(at index: Int, latitude: inout Double, longitude: inout Double) -> NMEAFieldResult {
    if isEmpty(index) || isEmpty(index + 1) || isEmpty(index + 2) || isEmpty(index + 3) { return .missing }
    var north = 0.0
    var east = 0.0
    guard angle(index, &north), angle(index + 2, &east) else { return .malformed }
    switch first(index + 1) {
    case UInt8(ascii: "N"), UInt8(ascii: "n"): break
    case UInt8(ascii: "S"), UInt8(ascii: "s"): north = -north
    default: return .malformed
    }
    switch first(index + 3) {
    case UInt8(ascii: "E"), UInt8(ascii: "e"): break
    case UInt8(ascii: "W"), UInt8(ascii: "w"): east = -east
    default: return .malformed
    }
    guard abs(north) <= 90, abs(east) <= 180 else { return .outOfRange }
    latitude = north
    longitude = east
    return .ok
  }

  /// `dddmm.mmmm` as degrees, any number of decimals.
  @inline(__always)
  private func angle(_ index: Int, _ degrees: inout Double) -> Bool {
    var p = base + Int(starts[index])
    let end = p + length(index)
    var whole: UInt64 = 0
    var digits = 0
    while p < end, p[0] &- 0x30 < 10 {
      whole = whole &* 10 &+ UInt64(p[0] &- 0x30)
      digits += 1
      p += 1
    }
    // 18 digits cannot overflow; what is too large falls to the range check.
    guard digits > 0, digits <= 9 else { return false }
    var minutes = (whole / 100) * 60 + whole % 100
    var scale = 60.0
    if p < end {
      guard p[0] == UInt8(ascii: ".") else { return false }
      p += 1
      var decimals = 0
      while p < end {
        let value = p[0] &- 0x30
        guard value < 10 else { return false }
        // Ten decimals of a minute are 0.2 micrometres.
        if decimals < 10 {
          minutes = minutes &* 10 &+ UInt64(value)
          decimals += 1
        }
        p += 1
      }
      if decimals > 0 { scale = 60 * Self.power(decimals) }
    }
    degrees = Double(minutes) / scale
    return true
  }
}
