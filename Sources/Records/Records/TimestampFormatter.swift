public import FoundationEssentials
import Platform

/// Writes times as ISO 8601 in UTC with milliseconds, "2024-02-24T07:36:03.000Z", and remembers the last day,
/// because the date's arithmetic is most of the work and successive fixes share it.
public struct TimestampFormatter: Sendable {
  /// Days since 1970-01-01 of `date`.
  private var day = Int64.min
  private var date: [UInt8] = []

  /// Creates a formatter.
  public init() {}

  /// Whether the time lies in the years 1 … 9999, which ISO 8601 writes with four digits. NaN does not.
  @inline(__always)
  public static func isWritable(_ time: Date) -> Bool {
    let milliseconds = milliseconds(of: time)
    return milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_999
  }

  /// Appends a time to the nearest millisecond, or nothing when it is not writable.
  public mutating func append(_ time: Date, to buffer: inout RecordBuffer) {
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
    date.withUnsafeBytes { buffer.append(contentsOf: $0) }
    buffer.append(most: 14) { out in
      out[0] = UInt8(ascii: "T")
      writePair(hour, to: out + 1)
      out[3] = UInt8(ascii: ":")
      writePair(minute, to: out + 4)
      out[6] = UInt8(ascii: ":")
      writePair(second, to: out + 7)
      out[9] = UInt8(ascii: ".")
      out[10] = UInt8(truncatingIfNeeded: fraction / 100) &+ UInt8(ascii: "0")
      writePair(fraction % 100, to: out + 11)
      out[13] = UInt8(ascii: "Z")
      return 14
    }
  }

  @inline(__always)
  private static func milliseconds(of time: Date) -> Double {
    // The sum of two doubles of this size is exact to a quarter of a microsecond.
    ((time.timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate) * 1000)
      .rounded()
  }

  /// Stores the text of the date.
  private mutating func setDay(_ days: Int64) {
    day = days
    let civil = CivilDate(daysSince1970: Int(days))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { text in
      guard let out = text.baseAddress else { return }
      writePair(civil.year / 100, to: out)
      writePair(civil.year % 100, to: out + 2)
      out[4] = UInt8(ascii: "-")
      writePair(civil.month, to: out + 5)
      out[7] = UInt8(ascii: "-")
      writePair(civil.day, to: out + 8)
      date = Array(text)
    }
  }
}
