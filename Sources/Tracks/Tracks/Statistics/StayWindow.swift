import FoundationEssentials
import Glibc
import LocationKit

/// The newest fixes that lie at one place: any two of them are within the given distance of each other, beyond the
/// greater of their accuracies. It holds one fix in a sixtieth of the time that makes a stop, and the newest.
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

  /// Takes the next fix and forgets everything up to the newest one that is too far from it.
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

/// Distances in the plane that touches the ellipsoid at a point: for comparing with a limit of some hundred metres.
struct LocalPlane: Sendable {
  let origin: LocationCoordinate2D
  /// Metres in a degree of latitude and of longitude.
  let northScale, eastScale: Double

  init(at origin: LocationCoordinate2D) {
    self.origin = origin
    let latitude = origin.latitude
    northScale = WGS84.meridianRadius(atLatitude: latitude) * .pi / 180
    eastScale = WGS84.primeVerticalRadius(atLatitude: latitude) * cos(latitude * .pi / 180) * .pi / 180
  }

  /// Metres east and north of the origin.
  func position(of point: LocationCoordinate2D) -> (east: Double, north: Double) {
    var longitude = point.longitude - origin.longitude
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    return (longitude * eastScale, (point.latitude - origin.latitude) * northScale)
  }

  func distance(to point: LocationCoordinate2D) -> LocationDistance {
    let (east, north) = position(of: point)
    return (east * east + north * north).squareRoot()
  }

  /// The point at metres east and north of the origin; at a pole, where east means nothing, on the same meridian.
  func coordinate(east: Double, north: Double) -> LocationCoordinate2D {
    var longitude = origin.longitude + (eastScale > 1e-3 ? east / eastScale : 0)
    if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
    let latitude = min(90, max(-90, origin.latitude + north / northScale))
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}
