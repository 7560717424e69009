import Glibc
public import LocationKit

/// Leaves out fixes that lie close to the line through the remaining ones: the sleeve-fitting of Zhao and Saalfeld
/// (1997), in constant time and memory for each fix.
///
/// Every fix that is left out lies within the tolerance of the line between the kept fixes before and after it. The
/// first and the last fix of a segment stay. Distances are measured in the plane that touches the ellipsoid at the kept
/// fix before. A line never becomes so long that the plane would be off by a tenth of the tolerance. Altitude, speed
/// and time are ignored.
///
/// Each later fix is seen from the kept fix at an angle; the directions that pass it within the tolerance are a sector.
/// While the sectors of all fixes have a direction in common, a line in this direction passes all of them.
public struct Simplifier: Sendable {
  private let tolerance: LocationDistance
  private var sleeve: Sleeve?
  /// The last fix, which ends the line so far. It has not been passed on.
  private var candidate: Location?

  /// Creates a simplifier. The tolerance is in metres; 0 leaves out nothing.
  public init(tolerance: LocationDistance) { self.tolerance = max(0, tolerance) }

  /// Adds the next event and passes on the events that are decided. Gaps and the fixes beside them always stay.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    guard case .fix(let fix) = event, fix.coordinate.isValid, tolerance > 0 else {
      finish(emit)
      return emit(event)
    }
    guard sleeve != nil else {
      sleeve = Sleeve(from: fix, tolerance: tolerance)
      return emit(event)
    }
    if sleeve?.reaches(fix) == false, let candidate {
      emit(.fix(candidate))
      sleeve = Sleeve(from: candidate, tolerance: tolerance)
      _ = sleeve?.reaches(fix)
    }
    candidate = fix
  }

  /// Ends the track: passes on its last fix.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    if let candidate { emit(.fix(candidate)) }
    candidate = nil
    sleeve = nil
  }
}

/// The directions in which a line from a fix passes all later fixes.
private struct Sleeve: Sendable {
  private let plane: LocalPlane
  /// The distance in metres by which a line may pass a fix at its side, and end short of it. Both together are the
  /// tolerance.
  private let slack: LocationDistance
  private let longest: LocationDistance
  /// Radians around the first direction; `nil` before there is one.
  private var sector: (axis: Double, low: Double, high: Double)?
  /// Metres to the farthest fix.
  private var farthest: LocationDistance = 0

  init(from fix: Location, tolerance: LocationDistance) {
    plane = LocalPlane(at: fix.coordinate)
    // A tenth is reserved for the error of the plane.
    slack = 0.9 * tolerance / 2.0.squareRoot()
    // Meridians converge: over a length s the plane is off by s² tan φ / 2R.
    let slope = min(100, abs(tan(fix.coordinate.latitude * .pi / 180))) + 0.01
    longest = (0.2 * tolerance * WGS84.polarRadius / slope).squareRoot()
  }

  /// Whether a line from the kept fix to this one passes all fixes between them. If so, this fix becomes one of them.
  mutating func reaches(_ fix: Location) -> Bool {
    let (east, north) = plane.position(of: fix.coordinate)
    let distance = (east * east + north * north).squareRoot()
    guard distance <= longest || sector == nil && farthest == 0, distance >= farthest - slack else { return false }
    defer { farthest = max(farthest, distance) }
    // Every line that begins here passes a fix this near, but a line that has gone farther cannot end at it.
    guard distance > slack else { return farthest <= slack }
    let direction = atan2(east, north)
    let width = asin(slack / distance)
    guard let (axis, low, high) = sector else {
      sector = (direction, -width, width)
      return true
    }
    let turn = remainder(direction - axis, 2 * .pi)
    guard turn >= low, turn <= high else { return false }
    sector = (axis, max(low, turn - width), min(high, turn + width))
    return true
  }
}
