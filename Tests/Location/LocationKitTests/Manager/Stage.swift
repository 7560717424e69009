import FoundationEssentials

@testable import LocationKit

/// A manager with a source, a clock and a delegate under a test's control.
@MainActor
final class Stage {
  let clock = VirtualClock()
  let source: SimulatedLocationSource
  let manager: LocationManager
  let delegate = RecordingDelegate()

  init(authorizationStatus: AuthorizationStatus = .authorizedAlways) {
    source = SimulatedLocationSource(clock: clock, authorizationStatus: authorizationStatus)
    manager = LocationManager(source: source)
    manager.delegate = delegate
  }

  func another() -> (LocationManager, RecordingDelegate) {
    let (other, delegate) = (LocationManager(source: source), RecordingDelegate())
    other.delegate = delegate
    return (other, delegate)
  }

  /// Moves the clock on and sends a fix that many metres north and east of 51° N, 7° E.
  func fix(after seconds: Double = 1, north: Double = 0, east: Double = 0, accuracy: Double? = nil) {
    clock.advance(by: seconds)
    source.send(.location(location(north: north, east: east, accuracy: accuracy)))
  }

  /// A fix each second.
  func stay(at north: Double, seconds: Int, accuracy: Double? = nil) {
    for _ in 0..<seconds { fix(north: north, accuracy: accuracy) }
  }

  func take(_ steps: [Step]) {
    for step in steps {
      switch step {
      case .start: manager.startUpdatingLocation()
      case .stop: manager.stopUpdatingLocation()
      case .request: manager.requestLocation()
      case .fix: fix(after: 0)
      case .noFix: source.send(.noFix)
      case .failure: source.send(.failed(LocationError(.network, "refused")))
      case .pass(let seconds): clock.advance(by: seconds)
      case .limit(let seconds): manager.staleAfter = seconds
      }
    }
  }

  func location(north: Double = 0, east: Double = 0, accuracy: Double? = nil) -> Location {
    var location = Location(latitude: 51 + north / 111_248.24, longitude: 7 + east / 70_197.65)
    location.horizontalAccuracy = accuracy
    location.timestamp = Date(timeIntervalSince1970: 1_700_000_000 + clock.now)
    return location
  }
}

@MainActor
protocol StageSuite {
  var stage: Stage { get }
}

extension StageSuite {
  var manager: LocationManager { stage.manager }
  var delegate: RecordingDelegate { stage.delegate }
}

/// Seconds at a place so many metres north, with a fix each second.
struct Stay: Sendable {
  let (north, seconds, accuracy): (Double, Int, Double?)

  static func at(_ north: Double, for seconds: Int, accuracy: Double? = 5) -> Stay {
    Stay(north: north, seconds: seconds, accuracy: accuracy)
  }
}

enum Step: Sendable {
  case start, stop, request
  case fix, noFix
  /// The source cannot connect.
  case failure
  /// Seconds pass.
  case pass(Double)
  /// The manager's `staleAfter` is set.
  case limit(Double)

  /// A fix each `interval` seconds.
  static func fixes(_ count: Int, every interval: Double) -> [Step] {
    (0..<count).flatMap { _ in [.pass(interval), .fix] }
  }
}
