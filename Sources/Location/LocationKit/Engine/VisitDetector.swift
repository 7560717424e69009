import FoundationEssentials

/// Finds arrivals and departures in a sequence of fixes.
struct VisitDetector: Sendable {
  /// The metres around the first fix of a stay that count as the same place.
  static let radius: LocationDistance = 100
  /// The seconds after which a stay counts as a visit.
  static let minimumStay = 300.0
  /// The seconds outside the radius that end a visit, so that one bad fix does not end it.
  static let minimumAbsence = 60.0

  private var stay: Stay?
  private var hasArrived = false
  /// The time of the first fix outside the radius.
  private var absentSince: Double?

  private struct Stay {
    let anchor: LocationCoordinate2D
    var since: Double
    let arrival: Date?
    var last: Date?
    private var north = 0.0
    private var east = 0.0
    private var count = 1.0

    init(_ location: Location, at now: Double) {
      (anchor, since, arrival, last) = (location.coordinate, now, location.timestamp, location.timestamp)
    }

    mutating func add(_ location: Location) {
      last = location.timestamp
      count += 1
      // Relative to the anchor, so that the mean is right at the 180th meridian too.
      north += location.coordinate.latitude - anchor.latitude
      east += (location.coordinate.longitude - anchor.longitude).remainder(dividingBy: 360)
    }

    func visit(hasDeparted: Bool) -> Visit {
      let middle = LocationCoordinate2D(
        latitude: anchor.latitude + north / count,
        longitude: (anchor.longitude + east / count).remainder(dividingBy: 360))
      return Visit(
        coordinate: middle, horizontalAccuracy: VisitDetector.radius, arrivalDate: arrival,
        departureDate: hasDeparted ? last : nil, hasDeparted: hasDeparted)
    }
  }

  /// Takes a fix. Returns the visit that it begins or ends.
  mutating func update(_ location: Location, at now: Double) -> Visit? {
    guard let stay, stay.anchor.distance(from: location.coordinate) <= Self.radius else {
      return leave(location, at: now)
    }
    absentSince = nil
    self.stay?.add(location)
    // The time may go back.
    self.stay?.since = min(stay.since, now)
    guard !hasArrived, now - stay.since >= Self.minimumStay else { return nil }
    hasArrived = true
    return self.stay?.visit(hasDeparted: false)
  }

  private mutating func leave(_ location: Location, at now: Double) -> Visit? {
    if hasArrived {
      let start = min(absentSince ?? now, now)
      absentSince = start
      guard now - start >= Self.minimumAbsence else { return nil }
    }
    let visit = hasArrived ? stay?.visit(hasDeparted: true) : nil
    (stay, hasArrived, absentSince) = (Stay(location, at: now), false, nil)
    return visit
  }
}
