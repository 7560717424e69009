/// One satellite of a GSV sentence.
public struct NMEASatellite: Sendable, Hashable, Codable {
  /// Which constellation it belongs to.
  public var system: NMEASatelliteSystem
  /// Its number within the constellation, from 1; for SBAS the PRN, 120 … 158.
  public var number: Int
  /// Degrees above the horizon, when the receiver knows.
  public var elevation: Int?
  /// Degrees from true north, when the receiver knows.
  public var azimuth: Int?
  /// Carrier to noise density in dB Hz; `nil` while the receiver does not track it.
  public var signal: Int?
  /// NMEA 4.1's signal id; `nil` when the sentence has none.
  public var signalID: Int?
  /// Whether the last GSA sentences name it as used in the solution.
  public var isUsed: Bool

  /// Creates a satellite.
  public init(
    system: NMEASatelliteSystem, number: Int, elevation: Int? = nil, azimuth: Int? = nil, signal: Int? = nil,
    signalID: Int? = nil, isUsed: Bool = false
  ) {
    self.system = system
    self.number = number
    self.elevation = elevation
    self.azimuth = azimuth
    self.signal = signal
    self.signalID = signalID
    self.isUsed = isUsed
  }
}

/// A constellation; the raw values are u-blox's `gnssId`, which gpsd reports too.
public enum NMEASatelliteSystem: UInt8, Sendable, Hashable, Codable, CaseIterable {
  /// GPS, United States.
  case gps = 0
  /// Augmentation: WAAS, EGNOS, MSAS, GAGAN, SDCM.
  case sbas = 1
  /// Galileo, European Union.
  case galileo = 2
  /// BeiDou, China.
  case beidou = 3
  /// Indoor messaging, Japan.
  case imes = 4
  /// QZSS, Japan.
  case qzss = 5
  /// GLONASS, Russia.
  case glonass = 6
  /// NavIC, India.
  case navic = 7
}
