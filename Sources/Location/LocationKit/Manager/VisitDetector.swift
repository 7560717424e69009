import FoundationEssentials

/// Finds stays in a row of fixes: fixes in, arrivals and departures out.
///
/// A class, so that a manager that reports no visits has no room for a stay.
final class VisitDetector {
  /// Metres around the first fix of a stay that still count as the place.
  static let radius: LocationDistance = 100
  /// Seconds until a stay counts as a visit.
  static let minimumStay = 300.0
  /// Seconds beyond the radius until a visit has ended, so that one bad fix does not end it.
  static let minimumAbsence = 60.0

  private var stay: Stay?
  private var hasArrived = false
  /// When the fixes beyond the radius began.
  private var absentSince: Double?

  private struct Stay {
    let anchor: Location
    let since: Double
    var last: Location
    private var north = 0.0
    private var east = 0.0
    private var count = 1.0

    init(_ location: Location, at now: Double) {
      (anchor, last, since) = (location, location, now)
    }

    mutating func add(_ location: Location) {
      last = location
      count += 1
      // Relative to the anchor, so that a place on the 180th meridian has its middle there too.
      north += location.coordinate.latitude - anchor.coordinate.latitude
      east += (location.coordinate.longitude - anchor.coordinate.longitude).remainder(dividingBy: 360)
    }

    var middle: LocationCoordinate2D {
      let longitude = anchor.coordinate.longitude + east / count
      return LocationCoordinate2D(
        latitude: anchor.coordinate.latitude + north / count, longitude: longitude.remainder(dividingBy: 360))
    }
  }

  /// Takes a fix at `now` on the source's clock; returns the visit that it begins or ends.
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
