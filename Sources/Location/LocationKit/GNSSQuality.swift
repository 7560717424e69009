/// What a satellite receiver says of the quality of a fix, and Core Location has no name for. Names are gpsd's.
///
/// From gpsd it has the status and the geoid separation, which every TPV report brings along. NMEA's GGA, GNS and GSA have
/// the rest as well; RMC and GLL have a status only. What the receiver did not say is `nil`.
public struct GNSSQuality: Sendable, Hashable, Codable {
  /// What is special about the way in which the position was found; the values are gpsd's `status`.
  public enum Status: UInt8, Sendable, Hashable, Codable {
    /// With differential corrections.
    case differential = 2
    /// By the phase of the carrier, with whole cycles known: some centimetres.
    case rtkFixed = 3
    /// By the phase of the carrier, with whole cycles not known yet: some decimetres.
    case rtkFloat = 4
    /// By dead reckoning, without satellites.
    case deadReckoning = 5
    /// By satellites and dead reckoning together.
    case combinedDeadReckoning = 6
    /// A surveyed position that was entered, of a receiver that gives the time.
    case surveyed = 7
    /// The receiver simulates, or somebody has typed the position in.
    case simulated = 8
    /// By the encrypted signal for authorised users, GPX's `pps`.
    case precise = 9
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
