import FoundationEssentials
import Glibc
import LocationKit

struct Stay: Sendable {
  private let arrival: TripLeg.Point
  private(set) var last: TripLeg.Point
  private let plane: LocalPlane
  private let within: LocationDistance
  /// The mean of the fixes, in metres from the first one.
  private var mean: (east: Double, north: Double) = (0, 0)
  private var count: Double
  private var scatter = Scatter()

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
      scatter.add(position, claimed: sample.claimed, at: sample.point.time)
    }
    count = Double(last.point.index - first.point.index + 1)
  }

  /// Whether a point is at the place, within its accuracy.
  func holds(_ point: TripLeg.Point, accuracy: LocationAccuracy) -> Bool {
    let (east, north) = plane.position(of: point.coordinate)
    let (x, y) = (east - mean.east, north - mean.north)
    return (x * x + y * y).squareRoot() <= within + accuracy
  }

  mutating func add(_ point: TripLeg.Point, claimed: LocationAccuracy?) {
    let (east, north) = plane.position(of: point.coordinate)
    scatter.add((east, north), claimed: claimed, at: point.time)
    count += 1
    mean.east += (east - mean.east) / count
    mean.north += (north - mean.north) / count
    last = point
  }

  var stop: Stop {
    Stop(
      coordinate: plane.coordinate(east: mean.east, north: mean.north), arrival: arrival.time, departure: last.time,
      fixes: arrival.index..<last.index + 1, accuracy: scatter.accuracy(around: mean))
  }
}

/// Fixes of a stay at equal spacings, at most 1024, with their claimed accuracies.
private struct Scatter: Sendable {
  private var fixes: [(east: Double, north: Double, claimed: LocationAccuracy)] = []
  private var spacing = 1
  private var count = 0
  private var start: Date?
  private var end: Date?

  mutating func add(_ position: (east: Double, north: Double), claimed: LocationAccuracy?, at time: Date) {
    guard let claimed else { return }
    (start, end) = (start ?? time, time)
    count += 1
    guard count % spacing == 0 else { return }
    fixes.append((position.east, position.north, claimed))
    guard fixes.count == 1024 else { return }
    fixes = stride(from: 1, to: fixes.count, by: 2).map { fixes[$0] }
    spacing *= 2
  }

  func accuracy(around mean: (east: Double, north: Double)) -> StopAccuracy? {
    guard fixes.count >= 30, let start, let end else { return nil }
    let distances = fixes.map { hypot($0.east - mean.east, $0.north - mean.north) }.sorted()
    return StopAccuracy(
      claimed: fixes.map(\.claimed).sorted()[fixes.count / 2], scatter: distances[(fixes.count * 95 - 1) / 100],
      duration: end.timeIntervalSince(start))
  }
}

/// The newest fixes that lie at one place: any two of them are within the given distance of each other, beyond the
/// greater of their accuracies. It keeps one fix for each sixtieth of the time that makes a stop, and the newest.
struct StayWindow: Sendable {
  struct Sample: Sendable {
    var point: TripLeg.Point
    /// 0 if it is unknown.
    var accuracy: LocationAccuracy
    /// The accuracy of the measured position; `nil` if it is unknown, and for a position that is held.
    var claimed: LocationAccuracy?
    var leg: TripLeg
  }

  private(set) var samples: [Sample] = []
  private let within: LocationDistance
  private let spacing: Double

  init(_ settings: TrackSettings) {
    within = settings.stopWithin
    spacing = settings.stopAfter / 60
  }

  /// Seconds from the oldest fix to the newest.
  var duration: Double {
    guard let first = samples.first, let last = samples.last else { return 0 }
    return last.point.time.timeIntervalSince(first.point.time)
  }

  mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

  /// Adds the next fix and removes everything up to the newest one that is too far from it.
  mutating func add(_ sample: Sample) {
    let plane = LocalPlane(at: sample.point.coordinate)
    let limits = samples.lastIndex {
      plane.distance(to: $0.point.coordinate) > within + max($0.accuracy, sample.accuracy)
    }
    if let limits { samples.removeFirst(limits + 1) }
    if samples.count > 1, let newest = samples.last,
      newest.point.time.timeIntervalSince(samples[samples.count - 2].point.time) < spacing
    {
      samples[samples.count - 1] = sample
    } else {
      samples.append(sample)
    }
  }
}
