import FoundationEssentials
import Platform

// The only writer of times: ISO 8601 in UTC with milliseconds, "2024-02-24T07:36:03.000Z".

extension RecordBuffer {
  /// Whether the time lies in the years 1 … 9999, which ISO 8601 writes with four digits. NaN is not writable.
  @inline(__always)
  package static func isWritable(_ time: Date) -> Bool {
    let milliseconds = milliseconds(of: time)
    return milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_999
  }

  /// Appends a time to the nearest millisecond. Returns false, and appends nothing, if it is not writable.
  @discardableResult
  package mutating func append(_ time: Date) -> Bool {
    guard Self.isWritable(time) else { return false }
    let total = Int64(Self.milliseconds(of: time))
    var (days, inDay) = total.quotientAndRemainder(dividingBy: 86_400_000)
    if inDay < 0 {
      days -= 1
      inDay += 86_400_000
    }
    if days != day.number { day = (days, CivilDate(daysSince1970: Int(days))) }
    let date = day.date
    let (seconds, fraction) = Int(inDay).quotientAndRemainder(dividingBy: 1000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    append(most: 24) { out in
      writePair(date.year / 100, to: out)
      writePair(date.year % 100, to: out + 2)
      out[4] = UInt8(ascii: "-")
      writePair(date.month, to: out + 5)
      out[7] = UInt8(ascii: "-")
      writePair(date.day, to: out + 8)
      out[10] = UInt8(ascii: "T")
      writePair(hour, to: out + 11)
      out[13] = UInt8(ascii: ":")
      writePair(minute, to: out + 14)
      out[16] = UInt8(ascii: ":")
      writePair(second, to: out + 17)
      out[19] = UInt8(ascii: ".")
      out[20] = UInt8(truncatingIfNeeded: fraction / 100) &+ UInt8(ascii: "0")
      writePair(fraction % 100, to: out + 21)
      out[23] = UInt8(ascii: "Z")
      return 24
    }
    return true
  }

  @inline(__always)
  private static func milliseconds(of time: Date) -> Double {
    // The sum of two doubles of this size is exact to a quarter of a microsecond.
    ((time.timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate) * 1000)
      .rounded()
  }
}
