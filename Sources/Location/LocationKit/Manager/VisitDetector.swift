import FoundationEssentials

/// Finds arrivals and departures in a sequence of fixes.
///
/// A class, so that a manager without visits needs no memory for one.
final class VisitDetector {
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
    let anchor: Location
    let since: Double
    var last: Location
    private var north = 0.0
    private var east = 0.0
    private var count = 1.0

    init(_ location: Location, at now: Double) { (anchor, last, since) = (location, location, now) }

    mutating func add(_ location: Location) {
      last = location
      count += 1
      // Relative to the anchor, so that the mean is right at the 180th meridian too.
      north += location.coordinate.latitude - anchor.coordinate.latitude
      east += (location.coordinate.longitude - anchor.coordinate.longitude).remainder(dividingBy: 360)
    }

    var middle: LocationCoordinate2D {
      let longitude = anchor.coordinate.longitude + east / count
      return LocationCoordinate2D(
        latitude: anchor.coordinate.latitude + north / count, longitude: longitude.remainder(dividingBy: 360))
    }
  }

  /// Takes a fix at `now` on the source's clock. Returns the visit that it begins or ends.
  func update(_ location: Location, at now: Double) -> Visit? {
    guard let stay, stay.anchor.coordinate.distance(from: location.coordinate) <= Self.radius else {
      return leave(location, at: now)
    }
    absentSince = nil
    self.stay?.add(location)
    guard !hasArrived, now - stay.since >= Self.minimumStay else { return nil }
    hasArrived = true
    return visit(hasDeparted: false)
  }

  private func leave(_ location: Location, at now: Double) -> Visit? {
    guard hasArrived else {
      stay = Stay(location, at: now)
      return nil
    }
    let start = absentSince ?? now
    absentSince = start
    guard now - start >= Self.minimumAbsence else { return nil }
    let visit = visit(hasDeparted: true)
    (hasArrived, absentSince) = (false, nil)
    stay = Stay(location, at: now)
    return visit
  }

  private func visit(hasDeparted: Bool) -> Visit? {
    guard let stay else { return nil }
    return Visit(
      coordinate: stay.middle, horizontalAccuracy: Self.radius, arrivalDate: stay.anchor.timestamp,
      departureDate: hasDeparted ? stay.last.timestamp : nil, hasDeparted: hasDeparted)
  }
}
