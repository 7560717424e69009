/// A satellite that a receiver reports. Not Core Location's.
public struct Satellite: Sendable, Hashable, Codable {
  /// A constellation; the raw value is its name.
  public enum System: String, Sendable, Hashable, Codable, CaseIterable {
    /// GPS, United States.
    case gps = "GPS"
    /// Augmentation: WAAS, EGNOS, MSAS, GAGAN, SDCM.
    case sbas = "SBAS"
    /// Galileo, European Union.
    case galileo = "Galileo"
    /// BeiDou, China.
    case beidou = "BeiDou"
    /// Indoor messaging, Japan.
    case imes = "IMES"
    /// QZSS, Japan.
    case qzss = "QZSS"
    /// GLONASS, Russia.
    case glonass = "GLONASS"
    /// NavIC, India.
    case navic = "NavIC"

    /// The constellation's number of u-blox (`gnssId`) and gpsd.
    public var gnssID: Int {
      switch self {
      case .gps: 0
      case .sbas: 1
      case .galileo: 2
      case .beidou: 3
      case .imes: 4
      case .qzss: 5
      case .glonass: 6
      case .navic: 7
      }
    }

    /// Creates the constellation for the number of u-blox and gpsd; `nil` for an unknown number.
    public init?(gnssID: Int) {
      guard Self.allCases.indices.contains(gnssID) else { return nil }
      self = Self.allCases[gnssID]
    }
  }

  /// The constellation.
  public var system: System
  /// The number within the constellation, from 1; for SBAS the PRN, 120 … 158.
  public var number: Int
  /// Degrees from true north, if known.
  public var azimuth: LocationDirection?
  /// Degrees above the horizon, if known.
  public var elevation: LocationDegrees?
  /// Carrier-to-noise density in dB-Hz; `nil` while the receiver does not track the satellite.
  public var signal: Double?
  /// Whether the solution uses the satellite.
  public var isUsed: Bool

  /// Creates a satellite.
  public init(
    system: System, number: Int, azimuth: LocationDirection? = nil, elevation: LocationDegrees? = nil,
    signal: Double? = nil, isUsed: Bool = false
  ) {
    self.system = system
    self.number = number
    self.azimuth = azimuth
    self.elevation = elevation
    self.signal = signal
    self.isUsed = isUsed
  }
}

extension Satellite {
  /// Returns the constellation and the number within it for a combined number of all constellations, which receivers
  /// before NMEA 4.1 send and gpsd's `PRN` uses; `nil` for an unassigned number.
  public static func identity(ofNMEANumber number: Int) -> (system: System, number: Int)? {
    switch number {
    case 1...32: (.gps, number)
    case 33...64: (.sbas, number + 87)
    case 65...96: (.glonass, number - 64)
    case 101...119: (.galileo, number - 100)
    case 120...158: (.sbas, number)
    case 173...182: (.imes, number - 172)
    case 193...199: (.qzss, number - 192)
    case 201...263: (.beidou, number - 200)
    case 301...363: (.galileo, number - 300)
    case 401...463: (.beidou, number - 400)
    case 501...515: (.navic, number - 500)
    default: nil
    }
  }
}
