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
  }

  /// Which constellation it belongs to.
  public var system: System
  /// Its number within the constellation, from 1; for SBAS the PRN, 120 … 158.
  public var number: Int
  /// Degrees from true north, when the receiver knows.
  public var azimuth: LocationDirection?
  /// Degrees above the horizon, when the receiver knows.
  public var elevation: LocationDegrees?
  /// Carrier to noise density in dB-Hz; `nil` while the receiver does not track it.
  public var signal: Double?
  /// Whether the solution uses it.
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
