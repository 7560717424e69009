/// What one sentence said, before it is merged into its epoch.
///
/// Only the members whose bits are in `contents` mean anything; the others are left over from earlier sentences,
/// so that a sentence costs no clearing.
struct SentenceReport {
  /// Which members a sentence has set.
  struct Contents: OptionSet {
    var rawValue: UInt32

    static let time = Contents(rawValue: 1 << 0)
    static let position = Contents(rawValue: 1 << 1)
    static let mode = Contents(rawValue: 1 << 2)
    static let status = Contents(rawValue: 1 << 3)
    static let altitude = Contents(rawValue: 1 << 4)
    static let ellipsoidalAltitude = Contents(rawValue: 1 << 5)
    static let geoidSeparation = Contents(rawValue: 1 << 6)
    static let speed = Contents(rawValue: 1 << 7)
    static let course = Contents(rawValue: 1 << 8)
    static let climb = Contents(rawValue: 1 << 9)
    static let courseAccuracy = Contents(rawValue: 1 << 10)
    static let speedAccuracy = Contents(rawValue: 1 << 11)
    static let horizontalAccuracy = Contents(rawValue: 1 << 12)
    static let verticalAccuracy = Contents(rawValue: 1 << 13)
    /// East and north, both.
    static let axisAccuracies = Contents(rawValue: 1 << 14)
    static let horizontalDilution = Contents(rawValue: 1 << 15)
    static let verticalDilution = Contents(rawValue: 1 << 16)
    /// The sentence carries the time that tells cycles apart.
    static let cycleTime = Contents(rawValue: 1 << 17)
    /// The receiver has no time: nothing can close the epoch, so it is closed here.
    static let closesEpoch = Contents(rawValue: 1 << 18)
    /// More sentences of the same series follow.
    static let seriesContinues = Contents(rawValue: 1 << 19)
    static let satelliteCount = Contents(rawValue: 1 << 21)
    /// East and north, both.
    static let velocity = Contents(rawValue: 1 << 20)
  }

  var contents: Contents = []
  var fix = Fix()
  /// Nanoseconds since midnight, for `cycleTime`.
  var cycleTime: Int64 = 0
  var horizontalDilution = Double.nan
  var verticalDilution = Double.nan
}
