/// A receiver's statements on the quality of a fix that Core Location does not have. The names are gpsd's.
///
/// With gpsd, the values come from its TPV report and the last SKY report of the device. With NMEA, they come from GGA,
/// GNS and GSA, and the status from RMC and GLL too. Values that the receiver did not report are `nil`.
public struct GNSSQuality: Sendable, Hashable, Codable {
  /// How the position was found, other than by a plain fix: gpsd's `status` from 2 on, in its order.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    /// With differential corrections.
    case differential
    /// By the carrier phase with known whole cycles: accurate to some centimetres.
    case rtkFixed
    /// By the carrier phase with estimated whole cycles: accurate to some decimetres.
    case rtkFloat
    /// By dead reckoning, without satellites.
    case deadReckoning
    /// By satellites and dead reckoning together.
    case combinedDeadReckoning
    /// A surveyed position that was entered into a timing receiver.
    case surveyed
    /// The receiver simulates, or the position was entered by hand.
    case simulated
    /// By the encrypted signal for authorised users, GPX's `pps`.
    case precise

    package var words: String {
      switch self {
      case .differential: "DGPS"
      case .rtkFixed: "RTK fixed"
      case .rtkFloat: "RTK float"
      case .deadReckoning: "dead reckoning"
      case .combinedDeadReckoning: "GNSS and dead reckoning"
      case .surveyed: "surveyed"
      case .simulated: "simulated"
      case .precise: "P(Y)"
      }
    }

    /// Whether the fix used corrections of another receiver, of any kind.
    public var isDifferential: Bool { self == .differential || self == .rtkFixed || self == .rtkFloat }

    /// Creates the status for gpsd's number; `nil` for a plain fix and for an unknown number.
    public init?(gpsd number: Int) {
      guard (2..<2 + Self.allCases.count).contains(number) else { return nil }
      self = Self.allCases[number - 2]
    }
  }

  /// How the position was found; `nil` for a plain fix, as in gpsd, and if unknown.
  public var status: Status?
  /// Dilution of the horizontal position, a factor.
  public var hdop: Double?
  /// Dilution of the altitude, a factor.
  public var vdop: Double?
  /// Dilution of the position in space, a factor.
  public var pdop: Double?
  /// Dilution of the time, a factor. Only gpsd reports it.
  public var tdop: Double?
  /// Dilution of position and time together, a factor. Only gpsd reports it.
  public var gdop: Double?
  /// Height of mean sea level above the WGS84 ellipsoid in metres, as the receiver reports it; gpsd's `geoidSep`.
  public var geoidSeparation: LocationDistance?
  /// Seconds since the last differential correction; gpsd's `dgpsAge`.
  public var dgpsAge: Double?
  /// The number of the station that sent the differential corrections; gpsd's `dgpsSta`.
  public var dgpsStation: Int?

  /// Creates a value; omitted values are unknown.
  public init(
    status: Status? = nil, hdop: Double? = nil, vdop: Double? = nil, pdop: Double? = nil,
    tdop: Double? = nil, gdop: Double? = nil, geoidSeparation: LocationDistance? = nil, dgpsAge: Double? = nil,
    dgpsStation: Int? = nil
  ) {
    self.status = status
    self.hdop = hdop
    self.vdop = vdop
    self.pdop = pdop
    self.tdop = tdop
    self.gdop = gdop
    self.geoidSeparation = geoidSeparation
    self.dgpsAge = dgpsAge
    self.dgpsStation = dgpsStation
  }
}
