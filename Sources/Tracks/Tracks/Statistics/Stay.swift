import FoundationEssentials
import LocationKit

/// A stop that has not ended.
struct Stay: Sendable {
  private let arrival: TripLeg.Point
  /// The last fix at the place.
  private(set) var last: TripLeg.Point
  private let plane: LocalPlane
  private let within: LocationDistance
  /// The mean of the fixes, in metres from the first one.
  private var mean: (east: Double, north: Double) = (0, 0)
  private var count: Double

  /// Creates a stay from the samples of a window; their mean represents all fixes between them.
  init?(_ samples: [StayWindow.Sample], within: LocationDistance) {
    guard let first = samples.first, let last = samples.last else { return nil }
    arrival = first.point
    self.last = last.point
    self.within = within
    plane = LocalPlane(at: first.point.coordinate)
    for sample in samples {
      let position = plane.position(of: sample.point.coordinate)
      mean.east += position.east / Double(samples.count)
      mean.north += position.north / Double(samples.count)
    }
    count = Double(last.point.index - first.point.index + 1)
  }

  /// Whether a point is at the place, within its accuracy.
  func holds(_ point: TripLeg.Point, accuracy: LocationAccuracy) -> Bool {
    let (east, north) = plane.position(of: point.coordinate)
    let (x, y) = (east - mean.east, north - mean.north)
    return (x * x + y * y).squareRoot() <= within + accuracy
  }

  /// Adds a fix at the place.
  mutating func add(_ point: TripLeg.Point) {
    let (east, north) = plane.position(of: point.coordinate)
    count += 1
    mean.east += (east - mean.east) / count
    mean.north += (north - mean.north) / count
    last = point
  }

  var stop: Stop {
    Stop(
      coordinate: plane.coordinate(east: mean.east, north: mean.north), arrival: arrival.time, departure: last.time,
      fixes: arrival.index..<last.index + 1)
  }
}
