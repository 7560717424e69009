import FoundationEssentials
public import LocationKit

/// A device among many: a location manager whose locations come from messages.
///
/// A device has all features of a location manager, such as filters, fences with dwell and accuracy, and the state of
/// the fix. Its clock shows the time of the fix while a fix is delivered, and the host's time otherwise.
@MainActor
public final class Device: LocationManager {
  /// The name of the device, such as OwnTracks' `USER/DEVICE`.
  public let identifier: String
  private let messages: DeviceSource

  init(_ identifier: String, timers: DeviceTimers) {
    self.identifier = identifier
    messages = DeviceSource(timers)
    super.init(source: messages)
  }

  func during(_ time: Date?, _ body: () -> Void) { messages.during(time, body) }

  /// Delivers a location that is newer than the last one, or has the same time and differs from it. Returns whether it
  /// did.
  func deliver(_ location: Location) -> Bool {
    guard let time = location.timestamp else { return false }
    if let last = self.location, let lastTime = last.timestamp, time < lastTime || location == last { return false }
    messages.during(time) { messages.send(location) }
    return true
  }
}

/// The source of a device's manager, and its clock: the time of the fix while one is delivered, and the host's time
/// otherwise. A `LocationSourceHub` for several managers would cost more than the rest of a device.
///
/// When a device sends the fixes that it kept while it was offline, a fence's dwell is therefore measured by the
/// device's clock. A fix that is old on arrival is stale at once. The timers of all devices share one timer of the
/// host.
@MainActor
final class DeviceSource: LocationSource, LocationClock {
  private let timers: DeviceTimers
  private var fixTime: Date?
  private weak var receiver: (any LocationSourceReceiver)?
  let authorizationStatus = AuthorizationStatus.authorizedAlways
  let status = LocationSourceStatus.connected(devices: [])

  init(_ timers: DeviceTimers) { self.timers = timers }

  var clock: any LocationClock { self }

  /// Seconds since 2001. The time goes back only from the host's time to that of a fix.
  var now: Double { fixTime?.timeIntervalSinceReferenceDate ?? timers.hostTime }

  func schedule(after seconds: Double, _ action: @escaping @MainActor () -> Void) -> LocationTimer {
    timers.schedule(at: now + seconds, action)
  }

  func attach(_ receiver: any LocationSourceReceiver) { self.receiver = receiver }

  func detach(_ receiver: any LocationSourceReceiver) {
    if self.receiver === receiver { self.receiver = nil }
  }

  func during(_ time: Date?, _ body: () -> Void) {
    fixTime = time
    defer { fixTime = nil }
    body()
  }

  func send(_ location: Location) { receiver?.receive(.location(location)) }
}
