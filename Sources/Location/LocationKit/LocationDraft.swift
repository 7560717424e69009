public import FoundationEssentials

/// The reports of a receiver on one epoch. Sources fill it in, and `location(…)` makes a `Location` of it.
///
/// The properties are those of gpsd's TPV report, with its units. Values that the receiver has not reported are `nil`.
/// A number that is not finite counts as unknown.
public struct LocationDraft: Sendable, Hashable {
  /// Whether the receiver has a fix; the values are gpsd's `mode`.
  public enum Mode: UInt8, Sendable, Hashable, Comparable {
    /// The receiver has not reported a mode yet.
    case notSeen = 0
    /// The receiver has no fix.
    case noFix = 1
    /// Latitude and longitude.
    case twoDimensional = 2
    /// Latitude, longitude and altitude.
    case threeDimensional = 3

    /// Orders modes by the amount of information.
    public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
  }

  /// gpsd's `mode`.
  public var mode = Mode.notSeen
  /// gpsd's `time`: the receiver's time of the fix.
  public var time: Date?
  /// gpsd's `lat`: degrees north, WGS84.
  public var latitude: Double?
  /// gpsd's `lon`: degrees east, WGS84.
  public var longitude: Double?
  /// gpsd's `altMSL`: metres above mean sea level.
  public var altitudeMSL: Double?
  /// gpsd's `altHAE`: metres above the ellipsoid.
  public var altitudeHAE: Double?
  /// gpsd's `geoidSep`: the height of mean sea level above the ellipsoid in metres.
  public var geoidSeparation: Double?
  /// gpsd's `eph`: metres of uncertainty of the position.
  public var eph: Double?
  /// gpsd's `epx`: metres of uncertainty to the east.
  public var epx: Double?
  /// gpsd's `epy`: metres of uncertainty to the north.
  public var epy: Double?
  /// gpsd's `epv`: metres of uncertainty of the altitude.
  public var epv: Double?
  /// gpsd's `track`: the direction of travel in degrees from true north.
  public var track: Double?
  /// gpsd's `epd`: degrees of uncertainty of the track.
  public var epd: Double?
  /// gpsd's `speed`: metres per second over ground.
  public var speed: Double?
  /// gpsd's `eps`: metres per second of uncertainty of the speed.
  public var eps: Double?
  /// gpsd's `climb`: metres per second upwards.
  public var climb: Double?
  /// gpsd's `velE`: metres per second to the east.
  public var velocityEast: Double?
  /// gpsd's `velN`: metres per second to the north.
  public var velocityNorth: Double?
  /// gpsd's `status`: how the position was found.
  public var status: GNSSQuality.Status?
  /// The dilutions of gpsd's SKY report.
  public var dilution = DilutionOfPrecision()
  /// gpsd's `dgpsAge`: seconds since the last differential correction.
  public var dgpsAge: Double?
  /// gpsd's `dgpsSta`: the station that sent the differential corrections.
  public var dgpsStation: Int?
  /// gpsd's `jam` and `ant`: whether the receiver reports jamming or a fault of its antenna. Not part of an epoch.
  public var hasFault: Bool?

  /// Creates a draft without any values.
  public init() {}

  /// Copies the values of a later report of the same epoch, including its mode. Latitude and longitude are copied only
  /// together.
  public mutating func update(with later: LocationDraft) {
    mode = later.mode
    if let value = later.time { time = value }
    if let latitude = later.latitude, let longitude = later.longitude {
      self.latitude = latitude
      self.longitude = longitude
    }
    if let value = later.altitudeMSL { altitudeMSL = value }
    if let value = later.altitudeHAE { altitudeHAE = value }
    if let value = later.geoidSeparation { geoidSeparation = value }
    if let value = later.eph { eph = value }
    if let value = later.epx { epx = value }
    if let value = later.epy { epy = value }
    if let value = later.epv { epv = value }
    if let value = later.track { track = value }
    if let value = later.epd { epd = value }
    if let value = later.speed { speed = value }
    if let value = later.eps { eps = value }
    if let value = later.climb { climb = value }
    if let value = later.velocityEast { velocityEast = value }
    if let value = later.velocityNorth { velocityNorth = value }
    if let value = later.status { status = value }
    dilution.update(with: later.dilution)
    if let value = later.dgpsAge { dgpsAge = value }
    if let value = later.dgpsStation { dgpsStation = value }
  }

  /// Returns the draft as a location; `nil` without a fix or a valid position.
  ///
  /// - `latitude` and `longitude` need a mode of at least 2. Altitudes, their accuracy and `climb` need mode 3.
  /// - `altitude` is `altMSL` and `ellipsoidalAltitude` is `altHAE`. If only one of them is known, `geoidSep` gives the
  ///   other.
  /// - `horizontalAccuracy` is `eph`, otherwise the length of `epx` and `epy`.
  /// - `course` and `speed` are `track` and `speed`, otherwise computed from `velE` and `velN`. A course is at least 0
  ///   and below 360.
  /// - `quality` holds the known values of `status`, dilutions, geoid and corrections, in any mode with a fix.
  /// - A speed or climb of 10 km/s or more counts as unknown.
  public func location(
    satellitesUsed: Int? = nil, satellitesSeen: Int? = nil, sourceInformation: LocationSourceInformation? = nil
  ) -> Location? {
    guard let fixMode = FixMode(rawValue: mode.rawValue), let latitude, let longitude else { return nil }
    let coordinate = LocationCoordinate2D(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { return nil }
    var location = Location(coordinate: coordinate)
    location.mode = fixMode
    location.timestamp = time
    location.satellitesUsed = satellitesUsed
    location.satellitesSeen = satellitesSeen
    location.sourceInformation = sourceInformation
    if fixMode == .threeDimensional {
      location.altitude = known(altitudeMSL) ?? known(altitudeHAE, minus: geoidSeparation)
      location.ellipsoidalAltitude = heightAboveEllipsoid
      location.verticalAccuracy = known(epv)
      location.climb = known(climb, below: Self.speedLimit)
    }
    location.horizontalAccuracy = known(eph) ?? length(epx, epy)
    location.course = course
    location.courseAccuracy = known(epd)
    location.speed = known(speed ?? length(velocityEast, velocityNorth), below: Self.speedLimit)
    location.speedAccuracy = known(eps)
    location.quality = quality
    return location
  }

  /// Metres above the ellipsoid: `altHAE`, otherwise computed from `altMSL` and `geoidSep`.
  public var heightAboveEllipsoid: Double? {
    known(altitudeHAE) ?? known(altitudeMSL, minus: geoidSeparation.map { -$0 })
  }

  private var quality: GNSSQuality? {
    let quality = GNSSQuality(
      status: status, hdop: known(dilution.horizontal), vdop: known(dilution.vertical), pdop: known(dilution.position),
      tdop: known(dilution.time), gdop: known(dilution.geometric), geoidSeparation: known(geoidSeparation),
      dgpsAge: known(dgpsAge), dgpsStation: dgpsStation)
    return quality == GNSSQuality() ? nil : quality
  }

  private static let speedLimit = 10_000.0

  private var course: Double? {
    if let track = known(track) { return Self.normalized(track) }
    guard let velocityEast, let velocityNorth else { return nil }
    return known(C.atan2(velocityEast, velocityNorth) * 180 / .pi).map(Self.normalized)
  }

  /// Returns degrees from 0 up to but not including 360.
  package static func normalized(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive < 360 ? positive : 0
  }

  private func known(_ value: Double?, below limit: Double = .greatestFiniteMagnitude) -> Double? {
    guard let value, abs(value) < limit else { return nil }
    return value
  }

  private func known(_ value: Double?, minus other: Double?) -> Double? {
    guard let value, let other else { return nil }
    return known(value - other)
  }

  private func length(_ east: Double?, _ north: Double?) -> Double? {
    guard let east, let north else { return nil }
    return known((east * east + north * north).squareRoot())
  }
}
