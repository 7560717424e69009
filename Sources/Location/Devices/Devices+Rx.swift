public import LocationKit
public import Rx
public import RxBinding
import RxLocation

extension Devices: HasDelegate, DelegateProxyHolder {
  /// The delegate's type.
  public typealias Delegate = any DevicesDelegate
}

extension Devices: ReactiveCompatible {}

/// The delegate proxy of the devices: it turns delegate calls into streams and forwards them.
public final class RxDevicesDelegateProxy:
  DelegateProxy<Devices, any DevicesDelegate>, DelegateProxyType, DevicesDelegate
{
  /// The user's own delegate.
  public weak var forwarded: (any DevicesDelegate)?

  /// Creates the proxy of `devices`. Use `proxy(for:)`, which does this once.
  public init(devices: Devices) { super.init(parentObject: devices, delegateProxy: RxDevicesDelegateProxy.self) }

  /// Registers this class.
  public static func registerKnownImplementations() { register { RxDevicesDelegateProxy(devices: $0) } }

  /// Observed as `didAppear`.
  public func devices(_ devices: Devices, didAppear device: Device) {
    invoke(.didAppear, (devices, device)) { $0.devices(devices, didAppear: device) }
  }

  /// Observed as `didReceiveCrossing`.
  public func devices(_ devices: Devices, didReceive crossing: RegionCrossing, of device: Device) {
    invoke(.didReceiveCrossing, (devices, crossing, device)) { $0.devices(devices, didReceive: crossing, of: device) }
  }
}

extension DelegateMethod
where Delegate == any DevicesDelegate, Arguments == (devices: Devices, device: Device) {
  /// `devices(_:didAppear:)`
  public static var didAppear: Self { Self() }
}

extension DelegateMethod
where Delegate == any DevicesDelegate, Arguments == (devices: Devices, crossing: RegionCrossing, device: Device) {
  /// `devices(_:didReceive:of:)`
  public static var didReceiveCrossing: Self { Self() }
}

/// The delegate calls of the devices as streams, on the main actor.
@MainActor
extension Reactive where Base: Devices {
  /// The devices' delegate proxy.
  public var delegate: DelegateProxy<Devices, any DevicesDelegate> { RxDevicesDelegateProxy.proxy(for: base) }

  /// Sets a delegate that is called in addition to the streams, until the result is disposed. It is held weakly.
  public func setDelegate(_ delegate: any DevicesDelegate) -> any Disposable {
    RxDevicesDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  /// Devices that have sent their first message.
  public var didAppear: ControlEvent<Device> {
    ControlEvent(events: delegate.methodInvoked(.didAppear).map { $0.device })
  }

  /// Crossings of a device's own fences, as the device reports them.
  public var didReceiveCrossing: ControlEvent<RegionCrossing> {
    ControlEvent(events: delegate.methodInvoked(.didReceiveCrossing).map { $0.crossing })
  }
}
