public import FoundationEssentials

/// Where the receiver was, how sure it is, and how it moved: Core Location's `CLLocation` as a value.
///
/// What the receiver did not say is `nil`; nothing is invented.
public struct Location: Sendable, Hashable, Codable {
  /// The position, degrees WGS84.
  public var coordinate: LocationCoordinate2D
  /// Metres above mean sea level; gpsd's `altMSL`. Only with a three-dimensional fix.
  public var altitude: LocationDistance?
  /// Metres above the WGS84 ellipsoid; gpsd's `altHAE`. Only with a three-dimensional fix.
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
  /// The receiver's time of the fix; `nil` when the receiver gave none, never the host's clock.
  public var timestamp: Date?
  /// Whether the fix has an altitude; gpsd's `mode`.
  public var mode: FixMode
  /// How many satellites the solution used, when known.
  public var satellitesUsed: Int?
  /// How many satellites are in view, when known.
  public var satellitesSeen: Int?
  /// How good the receiver says that the fix is, beyond its accuracies; `nil` when it has said nothing of it.
  public var quality: GNSSQuality?
  /// Which device the fix came from and whether it was simulated.
  public var sourceInformation: LocationSourceInformation?

  /// Creates a location; everything that is not given is unknown.
  public init(
    coordinate: LocationCoordinate2D,
    altitude: LocationDistance? = nil,
    ellipsoidalAltitude: LocationDistance? = nil,
    horizontalAccuracy: LocationAccuracy? = nil,
    verticalAccuracy: LocationAccuracy? = nil,
    course: LocationDirection? = nil,
    courseAccuracy: LocationDirectionAccuracy? = nil,
    speed: LocationSpeed? = nil,
    speedAccuracy: LocationSpeedAccuracy? = nil,
    climb: LocationSpeed? = nil,
    timestamp: Date? = nil,
    mode: FixMode = .twoDimensional,
    satellitesUsed: Int? = nil,
    satellitesSeen: Int? = nil,
    quality: GNSSQuality? = nil,
    sourceInformation: LocationSourceInformation? = nil
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
  }

  /// Creates a location from a position alone, as `CLLocation(latitude:longitude:)`.
  public init(latitude: LocationDegrees, longitude: LocationDegrees) {
    self.init(coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude))
  }
}

extension Location {
  /// The length in metres of the geodesic on the WGS84 ellipsoid between this location and another one, without
  /// regard to altitude. Core Location's `distance(from:)`.
  ///
  /// It agrees with GeographicLib's GeodSolve within some nanometres for every pair of points. NaN when a
  /// coordinate is not valid.
  public func distance(from location: Location) -> LocationDistance {
    Geodesic.distance(from: location.coordinate, to: coordinate)
  }
}

/// How much of a position the receiver could solve; the values are gpsd's `mode`.
public enum FixMode: UInt8, Sendable, Hashable, Codable {
  /// Latitude and longitude.
  case twoDimensional = 2
  /// Latitude, longitude and altitude.
  case threeDimensional = 3
}

/// Where a location came from. Core Location's `CLLocationSourceInformation`, with the device that gpsd names.
public struct LocationSourceInformation: Sendable, Hashable, Codable {
  /// The receiver's device path as gpsd names it, or the recording's file name; `nil` when unknown.
  public var device: String?
  /// Which one it is among many devices, such as OwnTracks' `USER/DEVICE`; `nil` for the receiver of this host.
  public var deviceIdentifier: String?
  /// Whether software made or replayed the fix: a replay, a receiver's simulator, a test. What is read from a recording
  /// as history was measured, unless the recording says otherwise.
  public var isSimulatedBySoftware: Bool

  /// Creates source information.
  public init(device: String? = nil, deviceIdentifier: String? = nil, isSimulatedBySoftware: Bool = false) {
    self.device = device
    self.deviceIdentifier = deviceIdentifier
    self.isSimulatedBySoftware = isSimulatedBySoftware
  }
}
