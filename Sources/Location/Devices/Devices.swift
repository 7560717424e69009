public import FoundationEssentials
public import LocationKit

/// Many devices that send where they are, each with a location manager that is made when it first appears.
///
///     let devices = Devices()
///     devices.rx.didAppear
///       .flatMap { device in device.rx.didUpdateLocations }
///       .subscribe(onNext: { print($0) })
///       .disposed(by: bag)
///     devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
///
/// Where the messages come from is somebody else's business: a broker, a file, a test.
@MainActor
public final class Devices {
  /// Who hears of devices. Held weakly.
  public weak var delegate: (any DevicesDelegate)? {
    didSet { delegateObserver?.delegateDidChange() }
  }

  /// What stands between this and its delegate, a delegate proxy for one.
  public var delegateObserver: (any DelegateObserver)?

  /// Seconds without a location after which a device's counts as unknown; for devices that appear from now on. A phone that
  /// rests may say nothing for a long time.
  public var staleAfter = 600.0

  /// The devices that have appeared, by their identifiers.
  public private(set) var all: [String: Device] = [:]

  /// Locations that were older than the newest of their device, or the same once more.
  public private(set) var lateCount = 0

  private let timers: DeviceTimers

  /// Creates the devices of which none has appeared.
  ///
  /// - Parameters:
  ///   - clock: What the host's timers run on.
  ///   - date: The host's time, which devices' times are compared with.
  public init(clock: any LocationClock = SystemClock(), date: @escaping @MainActor () -> Date = { Date.now }) {
    timers = DeviceTimers(clock, date: date)
  }

  /// Takes a location with the identifier of its device in `sourceInformation`; one that has no device or no time is none.
  ///
  /// A device that was not known appears. What is older than the newest location of the device does not reach its manager.
  public func receive(_ location: Location) {
    guard let identifier = location.sourceInformation?.deviceIdentifier, location.timestamp != nil,
      location.coordinate.isValid
    else { return }
    if !device(identifier, at: location.timestamp).take(location) { lateCount += 1 }
  }

  /// Takes a crossing that a device reports of a fence of its own.
  public func receive(_ crossing: RegionCrossing) {
    guard let identifier = crossing.location.sourceInformation?.deviceIdentifier else { return }
    delegate?.devices(
      self, didReceive: crossing, of: device(identifier, at: crossing.location.timestamp))
  }

  private func device(_ identifier: String, at time: Date?) -> Device {
    if let device = all[identifier] { return device }
    let device = Device(identifier, timers: timers)
    device.staleAfter = staleAfter
    all[identifier] = device
    // What is started now waits for its first fix since then: one that is old is stale at once.
    device.during(time) { delegate?.devices(self, didAppear: device) }
    return device
  }
}

/// Hears of devices. All calls come on the main actor, from within `Devices.receive(_:)`.
@MainActor
public protocol DevicesDelegate: AnyObject {
  /// A device has appeared; its first location follows, and reaches who starts the device's updates now.
  func devices(_ devices: Devices, didAppear device: Device)

  /// A device reports the crossing of a fence of its own.
  func devices(_ devices: Devices, didReceive crossing: RegionCrossing, of device: Device)
}

extension DevicesDelegate {
  /// Nothing.
  public func devices(_ devices: Devices, didAppear device: Device) {}
  /// Nothing.
  public func devices(_ devices: Devices, didReceive crossing: RegionCrossing, of device: Device) {}
}
