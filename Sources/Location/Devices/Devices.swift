public import FoundationEssentials
public import LocationKit

/// Many devices that send their locations. Each gets a location manager when it first appears.
///
///     let devices = Devices()
///     devices.rx.didAppear
///       .flatMap { device in device.rx.didUpdateLocations }
///       .subscribe(onNext: { print($0) })
///       .disposed(by: bag)
///     devices.rx.didAppear.subscribe(onNext: { $0.startUpdatingLocation() }).disposed(by: bag)
///
/// The caller provides the messages: a broker, a file or a test.
@MainActor
public final class Devices: DelegateObservable {
  /// The delegate, held weakly.
  public weak var delegate: (any DevicesDelegate)? { didSet { delegateObserver?.delegateDidChange() } }

  /// An object between this one and its delegate, such as a delegate proxy.
  public var delegateObserver: (any DelegateObserver)?

  /// Seconds without a location after which a device's fix is lost, for devices that appear from now on. A phone that
  /// rests may send nothing for a long time.
  public var staleAfter = 600.0

  /// The devices that have appeared, by identifier.
  public private(set) var all: [String: Device] = [:]

  /// The number of locations that were older than the newest one of their device, or repeated it.
  public private(set) var lateCount = 0

  private let timers: DeviceTimers

  /// Creates an empty set of devices. `clock` has the host's timers. `date` returns the host's time, which is compared with
  /// the times of the devices.
  public init(clock: any LocationClock = SystemClock(), date: @escaping @MainActor () -> Date = { Date.now }) {
    timers = DeviceTimers(clock, date: date)
  }

  /// Takes a location whose `sourceInformation` names its device. A location without device, time or valid coordinate
  /// is ignored.
  ///
  /// A new device appears. A location older than the newest one of its device does not reach the device's manager.
  public func receive(_ location: Location) {
    guard let identifier = location.sourceInformation?.deviceIdentifier, location.timestamp != nil,
      location.coordinate.isValid
    else { return }
    if !device(identifier, at: location.timestamp).deliver(location) { lateCount += 1 }
  }

  /// Takes a crossing of a device's own fence, as the device reports it.
  public func receive(_ crossing: RegionCrossing) {
    guard let identifier = crossing.location.sourceInformation?.deviceIdentifier else { return }
    delegate?.devices(self, didReceive: crossing, of: device(identifier, at: crossing.location.timestamp))
  }

  private func device(_ identifier: String, at time: Date?) -> Device {
    if let device = all[identifier] { return device }
    let device = Device(identifier, timers: timers)
    device.staleAfter = staleAfter
    all[identifier] = device
    // A manager that starts now waits for its first fix from this time on, so an old fix is stale at once.
    device.during(time) { delegate?.devices(self, didAppear: device) }
    return device
  }
}

/// The delegate of `Devices`. `Devices.receive(_:)` makes all calls, on the main actor.
@MainActor
public protocol DevicesDelegate: AnyObject {
  /// A device has appeared. Its first location follows, and reaches a delegate that starts the device's updates here.
  func devices(_ devices: Devices, didAppear device: Device)

  /// A device reports a crossing of its own fence.
  func devices(_ devices: Devices, didReceive crossing: RegionCrossing, of device: Device)
}

extension DevicesDelegate {
  /// Does nothing.
  public func devices(_ devices: Devices, didAppear device: Device) {}
  /// Does nothing.
  public func devices(_ devices: Devices, didReceive crossing: RegionCrossing, of device: Device) {}
}
