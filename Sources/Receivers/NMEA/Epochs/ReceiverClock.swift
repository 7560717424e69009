/// The receiver's date and time, combined from sentences that give only one of them.
///
/// Dates stay as the receiver gave them. gpsd moves dates before 2017 by 1024 weeks, because current receivers with old
/// firmware report such dates. A recording made before 2017 has such dates too, and they are right.
struct ReceiverClock {
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000
  private static let nanosecondsPerDay = 86_400 * nanosecondsPerSecond
  /// 2200-12-31, the last day that gpsd accepts; its nanoseconds since 1970 fit 64 bits with room to spare.
  private static let lastDay = 84_370
  /// The longest pause across midnight after which the date may lag behind.
  private static let longestPause = 600 * nanosecondsPerSecond

  /// Days since 1970, once a sentence such as RMC or ZDA has a date.
  private var day: Int?
  /// Nanoseconds since midnight.
  private(set) var timeOfDay: Int64 = 0
  /// The first time of the day since the clock passed midnight.
  private var firstOfDay: Int64?
  /// The Unix time of the last TAG block in nanoseconds.
  var tagTime: Int64?

  /// Sets the time, and the date if there is one. Without a date, a fall of more than half a day means that midnight
  /// has passed, and a smaller one that the clock was set back.
  ///
  /// Some receivers change the date an epoch after midnight. So a date that has not changed in the first second of a
  /// day belongs to the day before.
  mutating func set(timeOfDay time: Int64, day newDay: Int?) {
    let hasPassedMidnight = time < timeOfDay && timeOfDay - time > Self.nanosecondsPerDay / 2
    if hasPassedMidnight, let old = day, old <= Self.lastDay {
      firstOfDay = timeOfDay - time >= Self.nanosecondsPerDay - Self.longestPause ? time : nil
      day = old + 1
    }
    if let newDay {
      let isLate = firstOfDay.map { 0..<Self.nanosecondsPerSecond ~= time - $0 } ?? false
      if !isLate || newDay + 1 != day { day = newDay }
    } else if day == nil, let tagTime {
      // Choose the day that puts this time nearest to the block's.
      let offset = tagTime - time + Self.nanosecondsPerDay / 2
      day = Int(offset / Self.nanosecondsPerDay)
    }
    timeOfDay = time
  }

  /// Nanoseconds since 1970; `nil` while the date is unknown.
  var nanoseconds: Int64? { day.map { Int64($0) * Self.nanosecondsPerDay + timeOfDay } }
}
