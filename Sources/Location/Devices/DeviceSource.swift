import FoundationEssentials
import LocationKit

/// The source of a device's manager. A `LocationSourceHub` for several managers would cost more than the rest of a
/// device.
@MainActor
final class DeviceSource: LocationSource {
  private let deviceClock: DeviceClock
  private weak var receiver: (any LocationSourceReceiver)?
  let authorizationStatus = AuthorizationStatus.authorizedAlways
  let status = LocationSourceStatus.connected(devices: [])

  init(_ clock: DeviceClock) { deviceClock = clock }

  var clock: any LocationClock { deviceClock }

  func attach(_ receiver: any LocationSourceReceiver) { self.receiver = receiver }

  func detach(_ receiver: any LocationSourceReceiver) {
    if self.receiver === receiver { self.receiver = nil }
  }

  func during(_ time: Date?, _ body: () -> Void) {
    deviceClock.fixTime = time
    defer { deviceClock.fixTime = nil }
    body()
  }

  func send(_ location: Location) { receiver?.receive(.location(location)) }
}
