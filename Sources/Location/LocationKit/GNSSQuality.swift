/// What a satellite receiver says of the quality of a fix, and Core Location has no name for. Names are gpsd's.
///
/// From gpsd it is what its TPV reports and the last SKY report of the device say; from NMEA what GGA, GNS and GSA say, and
/// the status of RMC and GLL. What the receiver did not say is `nil`.
public struct GNSSQuality: Sendable, Hashable, Codable {
  /// What is special about the way in which the position was found: gpsd's `status` from 2 on.
  public enum Status: String, Sendable, Hashable, Codable, CaseIterable {
    /// With differential corrections.
    case differential
    /// By the phase of the carrier, with whole cycles known: some centimetres.
    case rtkFixed
    /// By the phase of the carrier, with whole cycles not known yet: some decimetres.
    case rtkFloat
    /// By dead reckoning, without satellites.
    case deadReckoning
    /// By satellites and dead reckoning together.
    case combinedDeadReckoning
    /// A surveyed position that was entered, of a receiver that gives the time.
    case surveyed
    /// The receiver simulates, or somebody has typed the position in.
    case simulated
    /// By the encrypted signal for authorised users, GPX's `pps`.
    case precise

    /// What a person calls a status.
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

    /// Whether corrections of another receiver were used, of whatever kind.
    public var isDifferential: Bool { self == .differential || self == .rtkFixed || self == .rtkFloat }

    /// The status that gpsd has this number for; `nil` for a plain fix and for a number that is none.
    public init?(gpsd number: Int) {
      switch number {
      case 2: self = .differential
      case 3: self = .rtkFixed
      case 4: self = .rtkFloat
      case 5: self = .deadReckoning
      case 6: self = .combinedDeadReckoning
      case 7: self = .surveyed
      case 8: self = .simulated
      case 9: self = .precise
      default: return nil
      }
    }
  }

  /// What is special about the fix; `nil` for a plain one, as in gpsd, and when it is not known.
  public var status: Status?
  /// Dilution of the horizontal position, a factor.
  public var hdop: Double?
  /// Dilution of the altitude, a factor.
  public var vdop: Double?
  /// Dilution of the position in space, a factor.
  public var pdop: Double?
  /// Metres by which mean sea level is above the WGS84 ellipsoid, as the receiver has it; gpsd's `geoidSep`.
  public var geoidSeparation: LocationDistance?
  /// Seconds since the last differential correction; gpsd's `dgpsAge`.
  public var dgpsAge: Double?
  /// The number of the station that the differential corrections are from; gpsd's `dgpsSta`.
  public var dgpsStation: Int?

  /// Creates a value; everything that is not given is unknown.
  public init(
    status: Status? = nil, hdop: Double? = nil, vdop: Double? = nil, pdop: Double? = nil,
    geoidSeparation: LocationDistance? = nil, dgpsAge: Double? = nil, dgpsStation: Int? = nil
  ) {
    self.status = status
    self.hdop = hdop
    self.vdop = vdop
    self.pdop = pdop
    self.geoidSeparation = geoidSeparation
    self.dgpsAge = dgpsAge
    self.dgpsStation = dgpsStation
  }
}
