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
