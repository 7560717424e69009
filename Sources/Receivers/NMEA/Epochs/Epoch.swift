import FoundationEssentials
import LocationKit

/// The values of all sentences of one time. Their order does not matter: when two kinds give the same value, the kind
/// with the higher rank wins.
struct Epoch {
  /// A year in nanoseconds. A longer step is a receiver that has just learned the date.
  private static let longestStep: Int64 = 365 * 86_400_000_000_000

  private enum Member: Int {
    case position, altitudeMSL, altitudeHAE, geoidSeparation, eph, deviation, epv, track, epd, speed, eps, climb
    case velocity, correction, horizontalDilution
  }

  /// Nanoseconds since 1970, 0 when unknown.
  private(set) var time: Int64 = 0
  /// Whether `time` has been known since the start of the epoch.
  private(set) var isTimed = false
  /// Nanoseconds since midnight, which may be known before the date.
  private(set) var timeOfDay: Int64?
  /// The epoch's dilution factors; GSA's take precedence.
  private(set) var dilution = DilutionOfPrecision()
  /// Whether the receiver reports a factor as unknown, so that factors of an earlier epoch do not apply.
  private(set) var deniesDilution = false

  /// The values without mode, time, status and dilution.
  private var values = LocationDraft()
  /// The rank of the kind of sentence that gave a member's value.
  private var ranks = InlineArray<16, UInt8>(repeating: 0)
  /// The horizontal dilution of sentences other than GSA, which gpsd also uses to estimate the accuracy.
  private var horizontalDilution: Double?
  private var satelliteDilution = DilutionOfPrecision()

  private var status = SentenceReport.Status.unknown
  /// Whether there is a fix, by GGA's quality and GNS's mode letters; `nil` without them.
  private var quality: Bool?
  private var isDenied = false
  // The highest mode of GSA, of sentences that state a mode otherwise, and of GGA and GNS, whose altitude implies a
  // mode.
  private var satelliteMode = LocationDraft.Mode.notSeen
  private var statedMode = LocationDraft.Mode.notSeen
  private var impliedMode = LocationDraft.Mode.notSeen
  /// Whether RMC or GLL, which do not state the dimension, have a position.
  private var hasPlainPosition = false
  /// The larger of GGA's and GNS's counts of satellites used: a GGA may count those of GPS alone.
  private var satelliteCount: Int?
  /// How many satellites the epoch's GSA sentences name.
  private var namedCount: Int?

  /// Whether the previous fix was three-dimensional, or GSA names enough satellites for that. Used when no sentence
  /// states the dimension.
  private var isProbablyThreeDimensional = false

  var coordinate: LocationCoordinate2D? {
    guard let latitude = values.latitude, let longitude = values.longitude else { return nil }
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }

  /// Whether there is a fix, and its dimension.
  ///
  /// The quality decides whether there is a fix, whatever the satellite count. Without a quality, every sentence has to
  /// agree. Of several constellations' GSA the highest mode wins: one constellation without a fix does not cancel the
  /// others. As in gpsd, GSA's 2 does not cancel GGA's altitude, because modems always send 2.
  var mode: LocationDraft.Mode {
    let isRefused = isDenied || satelliteMode == .noFix
    guard values.latitude != nil else { return isRefused || quality != nil ? .noFix : .notSeen }
    guard quality ?? !isRefused else { return .noFix }
    let hasAltitude = values.altitudeMSL != nil || values.altitudeHAE != nil
    switch impliedMode {
    case .threeDimensional: return .threeDimensional
    case .twoDimensional where hasAltitude && (hasPlainPosition || isProbablyThreeDimensional): return .threeDimensional
    default: break
    }
    if satelliteMode >= .twoDimensional { return satelliteMode }
    if statedMode >= .twoDimensional { return statedMode }
    // A GGA without an altitude means that the fix has no altitude.
    if impliedMode == .twoDimensional { return .twoDimensional }
    return isProbablyThreeDimensional || hasAltitude ? .threeDimensional : .twoDimensional
  }

  /// Seconds since 1970, or since midnight if the date is unknown.
  var seconds: Double? {
    if time > 0 { return Double(time) / 1e9 }
    return timeOfDay.map { Double($0) / 1e9 }
  }

  /// Adds the values of a sentence; GSA names `satellitesUsed`. `inout` avoids a copy; the report is not changed.
  mutating func add(_ report: inout SentenceReport, of kind: NMEASentenceKind, satellitesUsed: Int?) {
    let rank = kind.rank
    if report.draft.latitude != nil, report.draft.longitude != nil, accepts(.position, rank) {
      values.latitude = report.draft.latitude
      values.longitude = report.draft.longitude
    }
    if let value = report.draft.altitudeMSL, accepts(.altitudeMSL, rank) { values.altitudeMSL = value }
    if let value = report.draft.altitudeHAE, accepts(.altitudeHAE, rank) { values.altitudeHAE = value }
    if let value = report.draft.geoidSeparation, accepts(.geoidSeparation, rank) { values.geoidSeparation = value }
    if let value = report.draft.eph, accepts(.eph, rank) { values.eph = value }
    if report.draft.epx != nil, report.draft.epy != nil, accepts(.deviation, rank) {
      values.epx = report.draft.epx
      values.epy = report.draft.epy
    }
    if let value = report.draft.epv, accepts(.epv, rank) { values.epv = value }
    if let value = report.draft.track, accepts(.track, rank) { values.track = value }
    if let value = report.draft.epd, accepts(.epd, rank) { values.epd = value }
    if let value = report.draft.speed, accepts(.speed, rank) { values.speed = value }
    if let value = report.draft.eps, accepts(.eps, rank) { values.eps = value }
    if let value = report.draft.climb, accepts(.climb, rank) { values.climb = value }
    if report.draft.velocityEast != nil, report.draft.velocityNorth != nil, accepts(.velocity, rank) {
      values.velocityEast = report.draft.velocityEast
      values.velocityNorth = report.draft.velocityNorth
    }
    if report.draft.dgpsAge != nil, accepts(.correction, rank) {
      values.dgpsAge = report.draft.dgpsAge
      values.dgpsStation = report.draft.dgpsStation
    }
    addDilution(report.draft.dilution, of: kind)
    if report.deniesDilution { deniesDilution = true }
    addMode(report.draft.mode, of: kind)
    if let hasFix = report.hasFix { quality = quality == true || hasFix }
    if let status = report.status { self.status = max(self.status, status) }
    if report.namesSatellites { namedCount = satellitesUsed }
    if let count = report.satelliteCount { satelliteCount = max(count, satelliteCount ?? 0) }
    if let satellitesUsed, satellitesUsed > 3 { isProbablyThreeDimensional = true }
  }

  private mutating func accepts(_ member: Member, _ rank: UInt8) -> Bool {
    guard rank >= ranks[member.rawValue] else { return false }
    ranks[member.rawValue] = rank
    return true
  }

  private mutating func addDilution(_ new: DilutionOfPrecision, of kind: NMEASentenceKind) {
    if kind == .gsa {
      satelliteDilution.update(with: new)
    } else {
      if let value = new.horizontal, accepts(.horizontalDilution, kind.rank) { horizontalDilution = value }
      dilution.update(with: new)
      dilution.horizontal = horizontalDilution
    }
    dilution.update(with: satelliteDilution)
  }

  private mutating func addMode(_ mode: LocationDraft.Mode, of kind: NMEASentenceKind) {
    switch kind {
    case .gsa: satelliteMode = max(satelliteMode, mode)
    case _ where mode == .noFix: isDenied = true
    case .gga, .gns: impliedMode = max(impliedMode, mode)
    case .rmc, .gll: hasPlainPosition = hasPlainPosition || mode >= .twoDimensional
    default: statedMode = max(statedMode, mode)
    }
  }

  /// Starts a new epoch, after one with `mode`, at a time in nanoseconds since midnight, if the receiver knows it.
  mutating func start(timeOfDay: Int64?, after mode: LocationDraft.Mode) {
    self.timeOfDay = timeOfDay
    if mode == .threeDimensional { isProbablyThreeDimensional = true }
  }

  mutating func set(time: Int64) {
    self.time = time
    if time > 0 { isTimed = true }
  }

  /// Returns the epoch as a location; `nil` without a valid position.
  ///
  /// A missing speed or climb is derived from the previous epoch, as in gpsd. Missing accuracies are estimated with the
  /// dilution part of gpsd's error model. `dilution` has the newest factors, because some receivers send GSA every few
  /// seconds only.
  func location(
    after previous: Epoch, dilution: DilutionOfPrecision, satellitesUsed: Int?, satellitesSeen: Int?,
    source: LocationSourceInformation?
  ) -> Location? {
    var (draft, source) = (values, source)
    draft.mode = mode
    draft.status = GNSSQuality.Status(gpsd: Int(status.rawValue))
    if draft.status == .simulated { source?.isSimulatedBySoftware = true }
    draft.dilution = dilution
    if time > 0 { draft.time = Date(timeIntervalSince1970: Double(time) / 1e9) }
    if time > previous.time, previous.time > 0, time - previous.time < Self.longestStep {
      derive(&draft, from: previous, elapsed: Double(time - previous.time) / 1e9)
    }
    draft.estimateAccuracies(
      horizontal: horizontalDilution ?? dilution.horizontal, isDifferential: status == .differential)
    // GSA's named satellites take precedence over a count, unless it names none.
    let named = namedCount == 0 ? nil : namedCount
    return draft.location(
      satellitesUsed: named ?? satelliteCount ?? satellitesUsed, satellitesSeen: satellitesSeen,
      sourceInformation: source)
  }

  /// Derives missing values from an earlier epoch, `elapsed` seconds before this one.
  private func derive(_ draft: inout LocationDraft, from previous: Epoch, elapsed: Double) {
    guard previous.mode >= .twoDimensional, let from = previous.coordinate, let to = coordinate else { return }
    if draft.speed == nil, draft.velocityEast == nil { draft.speed = to.distance(from: from) / elapsed }
    if draft.eps == nil, let deviation = largestDeviation, let before = previous.largestDeviation {
      draft.eps = (before + deviation) / elapsed
    }
    if draft.climb == nil, previous.mode == .threeDimensional, let height = values.heightAboveEllipsoid,
      let heightBefore = previous.values.heightAboveEllipsoid
    {
      draft.climb = (height - heightBefore) / elapsed
    }
  }

  private var largestDeviation: Double? { values.epx.flatMap { east in values.epy.map { max(east, $0) } } }
}

extension LocationDraft {
  /// Estimates accuracies from dilutions. The 95 % error is 19 m horizontally and 23 m vertically per unit of dilution,
  /// a quarter of that with differential corrections.
  fileprivate mutating func estimateAccuracies(horizontal: Double?, isDifferential: Bool) {
    guard mode >= .twoDimensional else { return }
    if eph == nil, epx == nil { eph = horizontal.map { $0 * (isDifferential ? 4.75 : 19) } }
    if mode == .threeDimensional, epv == nil { epv = dilution.vertical.map { $0 * (isDifferential ? 5.75 : 23) } }
  }
}
