import FoundationEssentials
import LocationKit

/// What the sentences of one time have said together.
struct Epoch {
  /// A year in nanoseconds. A receiver that has learned the date leaps over more.
  private static let longestStep: Int64 = 365 * 86_400_000_000_000

  private(set) var draft = LocationDraft()
  private(set) var status = SentenceReport.Status.unknown
  /// Nanoseconds since 1970, 0 when unknown.
  private(set) var time: Int64 = 0
  /// Nanoseconds since midnight, known before the date is.
  private(set) var timeOfDay: Int64?
  /// GGA's or GNS's count of satellites used; `nil` without, or when a GSA has come since.
  private(set) var satelliteCount: Int?

  /// Creates an epoch of which only the time of the day may be known.
  init(timeOfDay: Int64? = nil) {
    self.timeOfDay = timeOfDay
  }

  var mode: LocationDraft.Mode { draft.mode }
  var hasPosition: Bool { draft.latitude != nil }
  var hasAltitude: Bool { draft.altitudeMSL != nil || draft.altitudeHAE != nil }

  /// Seconds since 1970, or since midnight where there is no date.
  var seconds: Double? {
    if time > 0 { return Double(time) / 1e9 }
    return timeOfDay.map { Double($0) / 1e9 }
  }

  /// Adds what a sentence says; the report stays as it is, and is not copied.
  mutating func add(_ report: inout SentenceReport) {
    let mode = report.draft.mode == .notSeen ? draft.mode : report.draft.mode
    draft.update(with: report.draft)
    draft.mode = mode
    if let status = report.status { self.status = max(self.status, status) }
    if report.namesSatellites { satelliteCount = nil }
    if let count = report.satelliteCount { satelliteCount = count }
  }

  mutating func set(time: Int64) {
    self.time = time
  }

  /// The receiver has no time, and the epoch none of the day.
  mutating func loseTimeOfDay() {
    timeOfDay = nil
  }

  /// Estimates accuracies that no sentence gave: gpsd's error model, its dilution part. Metres of a 95 % error per unit
  /// of dilution are 19 horizontally and 23 vertically, a quarter of that with differential corrections.
  mutating func estimateAccuracies(_ dilution: DilutionOfPrecision) {
    guard mode >= .twoDimensional else { return }
    if draft.eph == nil { draft.eph = dilution.horizontal.map { $0 * (status == .differential ? 4.75 : 19) } }
    if mode == .threeDimensional, draft.epv == nil {
      draft.epv = dilution.vertical.map { $0 * (status == .differential ? 5.75 : 23) }
    }
  }

  /// The epoch as a location, `nil` without a valid position.
  ///
  /// The dilutions may be of the epoch before, for GSA can come after the sentence that ends one.
  /// Where the receiver gave no speed or climb, they follow from the epoch before, as in gpsd.
  func location(
    after previous: Epoch, dilution: DilutionOfPrecision, satellitesUsed: Int?, satellitesSeen: Int?,
    source: LocationSourceInformation?
  ) -> Location? {
    var (draft, source) = (draft, source)
    draft.status = GNSSQuality.Status(gpsd: Int(status.rawValue))
    if draft.status == .simulated { source?.isSimulatedBySoftware = true }
    draft.dilution = dilution
    if time > 0 { draft.time = Date(timeIntervalSince1970: Double(time) / 1e9) }
    if time > previous.time, previous.time > 0, time - previous.time < Self.longestStep {
      draft.derive(from: previous.draft, elapsed: Double(time - previous.time) / 1e9)
    }
    return draft.location(
      satellitesUsed: satelliteCount ?? satellitesUsed, satellitesSeen: satellitesSeen, sourceInformation: source)
  }
}

extension LocationDraft {
  /// Fills in what follows from an earlier position, `elapsed` seconds before this one.
  fileprivate mutating func derive(from previous: LocationDraft, elapsed: Double) {
    guard previous.mode >= .twoDimensional, let from = previous.coordinate, let to = coordinate else { return }
    if speed == nil, velocityEast == nil { speed = to.distance(from: from) / elapsed }
    if eps == nil, let epx, let epy, let previousX = previous.epx, let previousY = previous.epy {
      eps = (max(previousX, previousY) + max(epx, epy)) / elapsed
    }
    if climb == nil, previous.mode == .threeDimensional, let height = heightAboveEllipsoid,
      let previousHeight = previous.heightAboveEllipsoid
    {
      climb = (height - previousHeight) / elapsed
    }
  }

  private var coordinate: LocationCoordinate2D? {
    guard let latitude, let longitude else { return nil }
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}
