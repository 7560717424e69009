import FoundationEssentials

/// Writes times as ISO 8601 in UTC with milliseconds, "2024-02-24T07:36:03.000Z", and remembers the last day,
/// because the date's arithmetic is most of the work and successive fixes share it.
struct TimestampFormatter: Sendable {
  /// Days since 1970-01-01 of `date`.
  private var day = Int64.min
  private var date: (UInt64, UInt16) = (0, 0)

  /// Whether the time lies in the years 1 … 9999, which ISO 8601 writes with four digits. NaN does not.
  @inline(__always)
  static func isWritable(_ time: Date) -> Bool {
    let milliseconds = milliseconds(of: time)
    return milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_999
  }

  /// Appends a time to the nearest millisecond, or nothing when it is not writable.
  mutating func append(_ time: Date, to buffer: inout RecordBuffer) {
    guard Self.isWritable(time) else { return }
    let total = Int64(Self.milliseconds(of: time))
    var (days, inDay) = total.quotientAndRemainder(dividingBy: 86_400_000)
    if inDay < 0 {
      days -= 1
      inDay += 86_400_000
    }
    if days != day { setDay(days) }
    let (seconds, fraction) = Int(inDay).quotientAndRemainder(dividingBy: 1000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    let date = date
    buffer.append(most: 24) { out in
      let raw = UnsafeMutableRawPointer(out)
      raw.storeBytes(of: date.0, as: UInt64.self)
      raw.storeBytes(of: date.1, toByteOffset: 8, as: UInt16.self)
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
  }

  @inline(__always)
  private static func milliseconds(of time: Date) -> Double {
    // The sum of two doubles of this size is exact to a quarter of a microsecond.
    ((time.timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate) * 1000)
      .rounded()
  }

  /// The proleptic Gregorian date of a day number, by counting in eras of 400 years that begin on 1 March.
  private mutating func setDay(_ days: Int64) {
    day = days
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { text in
      guard let out = text.baseAddress else { return }
      writePair(year / 100, to: out)
      writePair(year % 100, to: out + 2)
      out[4] = UInt8(ascii: "-")
      writePair(month, to: out + 5)
      out[7] = UInt8(ascii: "-")
      writePair(dayOfMonth, to: out + 8)
      let raw = UnsafeRawPointer(out)
      date = (
        raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
      )
    }
  }
}
