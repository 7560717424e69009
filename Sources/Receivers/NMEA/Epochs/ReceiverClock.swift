/// The receiver's date and time, put together from sentences that give only one of them.
///
/// Dates stay as the receiver gave them. gpsd moves dates before 2017 by 1024 weeks, because today's receivers with
/// an old firmware report such dates; a recording made before 2017 says the same and is right.
struct ReceiverClock {
  private static let nanosecondsPerDay: Int64 = 86_400_000_000_000

  /// Days since 1970, once RMC, ZDA or another has said.
  private(set) var day: Int?
  /// Nanoseconds since midnight.
  private(set) var timeOfDay: Int64 = 0

  /// Takes a time without a date. When the clock falls by more than half a day, midnight has passed; when it
  /// falls by less, it was set back.
  @inline(__always)
  mutating func set(timeOfDay time: Int64) {
    if time < timeOfDay, timeOfDay - time > Self.nanosecondsPerDay / 2, let day, day < CivilDate.end {
      self.day = day + 1
    }
    timeOfDay = time
  }

  /// Takes a date; the time must have been set before.
  @inline(__always)
  mutating func set(day: Int) {
    self.day = day
  }

  /// Forgets the date: the receiver says that it has no time.
  mutating func reset() {
    day = nil
    timeOfDay = 0
  }

  /// Nanoseconds since 1970, or 0 while there is no date.
  @inline(__always)
  var nanoseconds: Int64 {
    day.map { Int64($0) * Self.nanosecondsPerDay + timeOfDay } ?? 0
  }
}
