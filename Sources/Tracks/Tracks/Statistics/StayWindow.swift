import FoundationEssentials
import Glibc
import LocationKit

/// The newest fixes that lie at one place: any two of them are within the given distance of each other, beyond the
/// greater of their accuracies. It keeps one fix for each sixtieth of the time that makes a stop, and the newest.
struct StayWindow: Sendable {
  struct Sample: Sendable {
    var point: TripLeg.Point
    var accuracy: LocationAccuracy
    /// The trip as it was at this fix.
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
