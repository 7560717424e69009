/// What is known of one epoch, or what one sentence says. NaN is unknown.
struct Fix {
  /// Whether there is a fix, and of what dimension; gpsd's modes.
  enum Mode: UInt8, Comparable {
    /// No sentence of the epoch has said.
    case notSeen = 0
    /// The receiver says that it has no fix.
    case noFix = 1
    case twoDimensional = 2
    case threeDimensional = 3

    static func < (a: Mode, b: Mode) -> Bool { a.rawValue < b.rawValue }
  }

  /// How the position was found, in gpsd's order: a better kind replaces a lesser within an epoch.
  enum Status: UInt8, Comparable {
    case unknown, gps, differential, rtkFixed, rtkFloat, deadReckoning, surveyed, simulated, precise

    static func < (a: Status, b: Status) -> Bool { a.rawValue < b.rawValue }
  }

  /// Nanoseconds since 1970, 0 when unknown.
  var time: Int64 = 0
  /// Nanoseconds since midnight, -1 when unknown; known before the date is.
  var timeOfDay: Int64 = -1
  var latitude = Double.nan
  var longitude = Double.nan
  /// Metres above mean sea level.
  var altitude = Double.nan
  /// Metres above the ellipsoid.
  var ellipsoidalAltitude = Double.nan
  /// Metres by which mean sea level is above the ellipsoid.
  var geoidSeparation = Double.nan
  var speed = Double.nan
  var course = Double.nan
  var climb = Double.nan
  /// Metres per second to the east and to the north, from receivers that send those.
  var eastVelocity = Double.nan
  var northVelocity = Double.nan
  var courseAccuracy = Double.nan
  var speedAccuracy = Double.nan
  var horizontalAccuracy = Double.nan
  var verticalAccuracy = Double.nan
  /// Expected errors to the east and to the north.
  var eastAccuracy = Double.nan
  var northAccuracy = Double.nan
  /// GGA's or GNS's count of satellites used; -1 without, or when a GSA has come since.
  var satelliteCount: Int32 = -1
  var mode = Mode.notSeen
  var status = Status.unknown

  @inline(__always)
  var hasPosition: Bool { latitude.isFinite && longitude.isFinite }

  @inline(__always)
  var hasAltitude: Bool { altitude.isFinite || ellipsoidalAltitude.isFinite }
}
