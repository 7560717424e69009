import FoundationEssentials
public import LocationKit

/// One of many devices: a location manager of its own, whose locations come from messages.
///
/// Everything that a manager does for a receiver of this host it does for a device: filters, fences with dwell and accuracy,
/// the state of the fix. All time is the device's own while a fix is delivered, and the host's in between.
@MainActor
public final class Device: LocationManager {
  /// What it is called among the others, such as OwnTracks' `USER/DEVICE`.
  public let identifier: String
  private let messages: DeviceSource

  init(_ identifier: String, timers: DeviceTimers) {
    self.identifier = identifier
    messages = DeviceSource(DeviceClock(timers))
    super.init(source: messages)
  }

  /// Runs `body` in the time of the device.
  func during(_ time: Date?, _ body: () -> Void) { messages.during(time, body) }

  /// Takes a location that is newer than the last one, or of the same time and another one.
  ///
  /// - Returns: Whether it was.
  func take(_ location: Location) -> Bool {
    guard let time = location.timestamp else { return false }
    if let last = self.location, let lastTime = last.timestamp, time < lastTime || location == last { return false }
    messages.during(time) { messages.send(location) }
    return true
  }
}
