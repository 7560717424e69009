/// The receiver's date and time, put together from sentences that give only one of them.
///
/// Dates stay as the receiver gave them. gpsd moves dates before 2017 by 1024 weeks, because today's receivers with
/// an old firmware report such dates; a recording made before 2017 says the same and is right.
struct ReceiverClock {
  private static let nanosecondsPerDay: Int64 = 86_400_000_000_000
  /// 2200-12-31, the last day that gpsd takes; in nanoseconds since 1970 it fits 64 bits with room to spare.
  private static let lastDay = 84_370

  /// Days since 1970, once RMC, ZDA or another has said.
  private var day: Int?
  /// Nanoseconds since midnight.
  private(set) var timeOfDay: Int64 = 0

  /// Takes a time, and a date where there is one. Without a date, midnight has passed when the clock falls by more
  /// than half a day; when it falls by less, it was set back.
  mutating func set(timeOfDay time: Int64, day newDay: Int?) {
    if let newDay {
      day = newDay
    } else if time < timeOfDay, timeOfDay - time > Self.nanosecondsPerDay / 2, let old = day, old <= Self.lastDay {
      day = old + 1
    }
    timeOfDay = time
  }

  /// Forgets date and time: the receiver says that it has none.
  mutating func reset() {
    self = ReceiverClock()
  }

  /// Nanoseconds since 1970; `nil` while there is no date.
  var nanoseconds: Int64? {
    day.map { Int64($0) * Self.nanosecondsPerDay + timeOfDay }
  }
}
