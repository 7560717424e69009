import Glibc
public import LocationKit

/// Leaves out fixes that the line through the others comes close to: the sleeve-fitting of Zhao and Saalfeld (1997), in
/// constant time and memory for each fix.
///
/// Every fix that is left out lies within the tolerance of the line between the kept fixes before and after it. The
/// first and the last fix of a segment stay. Distances are measured in the plane that touches the ellipsoid at the kept
/// fix before; a line is never so long that the plane would be off by a tenth of the tolerance. Altitude, speed and time
/// are not looked at.
///
/// From the kept fix, each later one is seen under an angle; directions that pass it within the tolerance are a sector.
/// As long as the sectors of all fixes have directions in common, a line in such a direction passes all of them.
public struct Simplifier: Sendable {
  private let tolerance: LocationDistance
  private var sleeve: Sleeve?
  /// The last fix, which ends the line so far; it is not handed on yet.
  private var candidate: Location?

  /// Creates a simplifier; the tolerance is in metres, and 0 leaves nothing out.
  public init(tolerance: LocationDistance) {
    self.tolerance = max(0, tolerance)
  }

  /// Takes the next event and hands on what is certain by now. Gaps and the fixes beside them always stay.
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

  /// Ends the track: hands on its last fix.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    if let candidate { emit(.fix(candidate)) }
    candidate = nil
    sleeve = nil
  }
}

/// The directions in which a line from a fix passes all later fixes.
private struct Sleeve: Sendable {
  private let plane: LocalPlane
  /// Metres that a line may pass a fix at its side, and end short of it: together they are the tolerance.
  private let slack: LocationDistance
  private let longest: LocationDistance
  /// Radians around the first direction; `nil` before there is one.
  private var sector: (axis: Double, low: Double, high: Double)?
  /// Metres to the farthest fix.
  private var farthest: LocationDistance = 0

  init(from fix: Location, tolerance: LocationDistance) {
    plane = LocalPlane(at: fix.coordinate)
    // A tenth is for the plane.
    slack = 0.9 * tolerance / 2.0.squareRoot()
    // Meridians converge: over a length s the plane is off by s² tan φ / 2R.
    let slope = min(100, abs(tan(fix.coordinate.latitude * .pi / 180))) + 0.01
    longest = (0.2 * tolerance * WGS84.polarRadius / slope).squareRoot()
  }

  /// Whether a line from the fix to this one passes all between; takes it as one of them then.
  mutating func reaches(_ fix: Location) -> Bool {
    let (east, north) = plane.position(of: fix.coordinate)
    let distance = (east * east + north * north).squareRoot()
    guard distance <= longest || sector == nil && farthest == 0, distance >= farthest - slack else { return false }
    defer { farthest = max(farthest, distance) }
    // A fix this near is passed by every line that begins here, but is no end for one that went farther.
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
