import FoundationEssentials
import LocationKit

/// A source that says what a test has it say.
@MainActor
final class StageSource: LocationSource {
  let virtualClock = VirtualClock()
  var clock: any LocationClock { virtualClock }
  let authorizationStatus = AuthorizationStatus.authorizedAlways
  private(set) var status = LocationSourceStatus.idle
  private var receivers: [any LocationSourceReceiver] = []

  func attach(_ receiver: any LocationSourceReceiver) { receivers.append(receiver) }
  func detach(_ receiver: any LocationSourceReceiver) { receivers.removeAll { $0 === receiver } }

  func send(_ event: LocationSourceEvent) {
    if case .status(let new) = event { status = new }
    for receiver in receivers { receiver.receive(event) }
  }
}

/// A fix so many seconds after noon.
func fix(_ seconds: Double = 0, latitude: Double = 37.5, longitude: Double = -122.25) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 10.25, horizontalAccuracy: 5,
    course: 46, speed: 12, timestamp: Date(timeIntervalSince1970: 1_800_014_400 + seconds), mode: .threeDimensional,
    satellitesUsed: 9)
}
