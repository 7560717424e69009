public import FoundationEssentials

/// A fix of the receiver: the position, its accuracy and the movement. Core Location's `CLLocation` as a value.
///
/// Values that the receiver did not report are `nil`.
public struct Location: Sendable, Hashable, Codable {
  /// The position, degrees WGS84.
  public var coordinate: LocationCoordinate2D
  /// Metres above mean sea level; gpsd's `altMSL`. Known only in a three-dimensional fix.
  public var altitude: LocationDistance?
  /// Metres above the WGS84 ellipsoid; gpsd's `altHAE`. Known only in a three-dimensional fix.
  public var ellipsoidalAltitude: LocationDistance?
  /// Radius of uncertainty in metres; gpsd's `eph`, else from `epx` and `epy`.
  public var horizontalAccuracy: LocationAccuracy?
  /// Uncertainty of the altitude in metres; gpsd's `epv`.
  public var verticalAccuracy: LocationAccuracy?
  /// Direction of travel over ground in degrees from true north; gpsd's `track`.
  public var course: LocationDirection?
  /// Uncertainty of the course in degrees; gpsd's `epd`.
  public var courseAccuracy: LocationDirectionAccuracy?
  /// Speed over ground in metres per second.
  public var speed: LocationSpeed?
  /// Uncertainty of the speed in metres per second; gpsd's `eps`.
  public var speedAccuracy: LocationSpeedAccuracy?
  /// Metres per second upwards, negative downwards; gpsd's `climb`.
  public var climb: LocationSpeed?
  /// The receiver's time of the fix, never the host's; `nil` if the receiver gave none.
  public var timestamp: Date?
  /// Whether the fix has an altitude; gpsd's `mode`.
  public var mode: FixMode
  /// The number of satellites that the solution used, if known.
  public var satellitesUsed: Int?
  /// The number of satellites in view, if known.
  public var satellitesSeen: Int?
  /// The receiver's other statements on the quality of the fix; `nil` if there are none.
  public var quality: GNSSQuality?
  /// The device that produced the fix, and whether it was simulated.
  public var sourceInformation: LocationSourceInformation?
  /// Reasons to doubt the fix; `nil` without any, and unless its manager monitors doubts or its source has found them.
  public var doubts: Doubts?

  /// Creates a location; omitted values are unknown.
  public init(
    coordinate: LocationCoordinate2D, altitude: LocationDistance? = nil, ellipsoidalAltitude: LocationDistance? = nil,
    horizontalAccuracy: LocationAccuracy? = nil, verticalAccuracy: LocationAccuracy? = nil,
    course: LocationDirection? = nil, courseAccuracy: LocationDirectionAccuracy? = nil,
    speed: LocationSpeed? = nil, speedAccuracy: LocationSpeedAccuracy? = nil, climb: LocationSpeed? = nil,
    timestamp: Date? = nil, mode: FixMode = .twoDimensional, satellitesUsed: Int? = nil, satellitesSeen: Int? = nil,
    quality: GNSSQuality? = nil, sourceInformation: LocationSourceInformation? = nil, doubts: Doubts? = nil
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.ellipsoidalAltitude = ellipsoidalAltitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.climb = climb
    self.timestamp = timestamp
    self.mode = mode
    self.satellitesUsed = satellitesUsed
    self.satellitesSeen = satellitesSeen
    self.quality = quality
    self.sourceInformation = sourceInformation
    self.doubts = doubts
  }

  /// Creates a location from a position alone, like `CLLocation(latitude:longitude:)`.
  public init(latitude: LocationDegrees, longitude: LocationDegrees) {
    self.init(coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude))
  }
}

extension Location {
  /// Returns the length in metres of the geodesic on the WGS84 ellipsoid between two locations, regardless of their
  /// altitudes. Core Location's `distance(from:)`.
  ///
  /// The result agrees with GeographicLib's GeodSolve within a tenth of a millimetre for every pair of points. NaN if a
  /// coordinate is not valid.
  public func distance(from location: Location) -> LocationDistance {
    Geodesic.distance(from: location.coordinate, to: coordinate)
  }
}

/// The dimensions of a fix; the raw values are gpsd's `mode`.
public enum FixMode: UInt8, Sendable, Hashable, Codable {
  /// Latitude and longitude.
  case twoDimensional = 2
  /// Latitude, longitude and altitude.
  case threeDimensional = 3

  package var words: String { "\(rawValue)D" }
}

/// The origin of a location. Core Location's `CLLocationSourceInformation`, with gpsd's name of the device.
public struct LocationSourceInformation: Sendable, Hashable, Codable {
  /// The receiver's device path in gpsd, or the file name of a recording; `nil` if unknown.
  public var device: String?
  /// The name of a device among many, such as OwnTracks' `USER/DEVICE`; `nil` for the receiver of this host.
  public var deviceIdentifier: String?
  /// Whether software made or replayed the fix, such as a replay, a receiver's simulator or a test. Locations that are
  /// read from a recording as history count as measured, unless the recording marks them as simulated.
  public var isSimulatedBySoftware: Bool
  /// Whether the position is that of the beginning of a rest, because the receiver has not really moved since.
  public var isHeld: Bool
  /// The source's own signs of a wrong fix at this moment, of which a manager makes doubts if they last.
  public var signs: Doubts

  /// Creates source information.
  public init(
    device: String? = nil, deviceIdentifier: String? = nil, isSimulatedBySoftware: Bool = false, isHeld: Bool = false,
    signs: Doubts = []
  ) {
    self.device = device
    self.deviceIdentifier = deviceIdentifier
    self.isSimulatedBySoftware = isSimulatedBySoftware
    self.isHeld = isHeld
    self.signs = signs
  }
}
