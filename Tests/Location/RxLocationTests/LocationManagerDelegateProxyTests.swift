// RxMacrosTests has this file, too, with proxies that the macro writes; without the macro it is empty there.
#if Macros || !BY_MACRO
  import Foundation
  import LocationKit
  import Rx
  import RxBinding
  import TestSupport
  import Testing

  #if BY_MACRO
    import RxMacros
  #else
    import RxLocation
  #endif

  /// The manager's proxy forwards and observes every method of the delegate.
  @MainActor
  @Suite struct LocationManagerDelegateProxyTests {
    private let rig = Rig()
    private let region = Region(
      center: LocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "home")
    private let error = LocationError(.network, "gone")

    /// Each method's name, a call of it, and a stream of what its observers get, in words.
    private var methods: [(name: String, call: (any LocationManagerDelegate) -> Void, stream: Observable<String>)] {
      let (manager, rx, region, error) = (rig.manager, rig.manager.rx, region, error)
      let visit = Visit(coordinate: region.center, horizontalAccuracy: 5, hasDeparted: true)
      return [
        (
          "didUpdateLocations [9.0]",
          { $0.locationManager(manager, didUpdateLocations: [Location(latitude: 9, longitude: 0)]) },
          rx.didUpdateLocations.map { "didUpdateLocations \($0.map(\.coordinate.latitude))" }
        ),
        (
          "didFailWithError network", { $0.locationManager(manager, didFailWithError: error) },
          rx.didFailWithError.map { "didFailWithError \($0.code)" }
        ),
        (
          "didChangeAuthorization", { $0.locationManagerDidChangeAuthorization(manager) },
          rx.didChangeAuthorization.map { $0 == .authorizedAlways ? "didChangeAuthorization" : "\($0)" }
        ),
        (
          "didUpdateHeading 4.0", { $0.locationManager(manager, didUpdateHeading: Heading(trueHeading: 4)) },
          rx.didUpdateHeading.map { "didUpdateHeading \($0.trueHeading ?? -1)" }
        ),
        (
          "shouldDisplayHeadingCalibration", { _ = $0.locationManagerShouldDisplayHeadingCalibration(manager) },
          rx.delegate.methodInvoked(.shouldDisplayHeadingCalibration).map { _ in "shouldDisplayHeadingCalibration" }
        ),
        (
          "didEnterRegion home", { $0.locationManager(manager, didEnterRegion: region) },
          rx.didEnterRegion.map { "didEnterRegion \($0.identifier)" }
        ),
        (
          "didExitRegion home", { $0.locationManager(manager, didExitRegion: region) },
          rx.didExitRegion.map { "didExitRegion \($0.identifier)" }
        ),
        (
          "didDetermineState inside home", { $0.locationManager(manager, didDetermineState: .inside, for: region) },
          rx.didDetermineState.map { "didDetermineState \($0.state) \($0.region.identifier)" }
        ),
        (
          "didStartMonitoring home", { $0.locationManager(manager, didStartMonitoringFor: region) },
          rx.didStartMonitoring.map { "didStartMonitoring \($0.identifier)" }
        ),
        (
          "monitoringDidFail home network",
          { $0.locationManager(manager, monitoringDidFailFor: region, withError: error) },
          rx.monitoringDidFail.map { "monitoringDidFail \($0.region?.identifier ?? "none") \($0.error.code)" }
        ),
        (
          "didPauseLocationUpdates", { $0.locationManagerDidPauseLocationUpdates(manager) },
          rx.didPauseLocationUpdates.map { "didPauseLocationUpdates" }
        ),
        (
          "didResumeLocationUpdates", { $0.locationManagerDidResumeLocationUpdates(manager) },
          rx.didResumeLocationUpdates.map { "didResumeLocationUpdates" }
        ),
        (
          "didVisit true", { $0.locationManager(manager, didVisit: visit) },
          rx.didVisit.map { "didVisit \($0.hasDeparted)" }
        ),
        (
          "didChangeSourceStatus connecting", { $0.locationManager(manager, didChangeSourceStatus: .connecting) },
          rx.didChangeSourceStatus.map { "didChangeSourceStatus \($0)" }
        ),
        (
          "didChangeFixState current", { $0.locationManager(manager, didChangeFixState: .current) },
          rx.didChangeFixState.map { "didChangeFixState \($0)" }
        ),
        (
          "didChangeDoubts speed date", { $0.locationManager(manager, didChangeDoubts: [.speed, .date]) },
          rx.didChangeDoubts.map { "didChangeDoubts \($0.names)" }
        ),
        (
          "didUpdateSatellites [9, 7]",
          { $0.locationManager(manager, didUpdateSatellites: [9, 7].map { Satellite(system: .gps, number: $0) }) },
          rx.didUpdateSatellites.map { "didUpdateSatellites \($0.map(\.number))" }
        ),
        (
          "didReachEndOfRecording", { $0.locationManagerDidReachEndOfRecording(manager) },
          rx.didReachEndOfRecording.map { "didReachEndOfRecording" }
        ),
      ]
    }

    @Test func everyMethodIsForwardedAndObserved() throws {
      let clerk = Clerk()
      rig.manager.delegate = clerk
      let methods = methods
      let proxy = try #require(rig.manager.delegate)
      #expect(proxy is ManagerProxy)
      let logs = methods.map { StreamLog($0.stream) }
      // A stream that observes another method shows after that method's call.
      for (index, method) in methods.enumerated() {
        method.call(proxy)
        #expect(clerk.log == methods[...index].map(\.name))
        #expect(logs.map(\.elements) == methods.enumerated().map { $0 <= index ? [$1.name] : [] })
      }
    }

    @Test func aMethodThatAProxyDoesNotWriteIsForwarded() {
      let clerk = Clerk()
      let forwarder = Forwarder(clerk)
      for method in methods { method.call(forwarder) }
      #expect(clerk.log == methods.map(\.name))
      clerk.displaysCalibration = true
      #expect(forwarder.locationManagerShouldDisplayHeadingCalibration(rig.manager))
      #expect(!Forwarder(nil).locationManagerShouldDisplayHeadingCalibration(rig.manager))
    }

    @Test func everyMethodOfTheProtocolIsAmongThem() throws {
      // Each has a default implementation, so the compiler does not tell of one that the proxy lacks.
      let file = Checkout.file("Sources/Location/LocationKit/Manager/LocationManagerDelegate.swift")
      let declaration = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "}" }
      #expect(declaration.components(separatedBy: "\n  func ").count - 1 == methods.count)
    }

    @Test func theCalibrationIsAnsweredByTheUsersDelegate() throws {
      let clerk = Clerk()
      let installation = rig.manager.rx.setDelegate(clerk)
      let proxy = try #require(rig.manager.delegate)
      #expect(proxy.locationManagerShouldDisplayHeadingCalibration(rig.manager) == false)
      clerk.displaysCalibration = true
      #expect(proxy.locationManagerShouldDisplayHeadingCalibration(rig.manager) == true)
      installation.dispose()
      #expect(proxy.locationManagerShouldDisplayHeadingCalibration(rig.manager) == false)
    }

    @Test func aDelegateThatIsSetAfterTheProxyIsForwardedToAtOnce() {
      let (one, other) = (Clerk(), Clerk())
      let log = StreamLog(rig.manager.rx.didUpdateLocations)
      rig.manager.startUpdatingLocation()
      rig.manager.delegate = one
      rig.send(1)
      rig.manager.delegate = other
      rig.send(2)
      #expect(log.elements.count == 2)
      #expect(one.log.contains("didUpdateLocations [1.0]"))
      #expect(!one.log.contains("didUpdateLocations [2.0]"))
      #expect(other.log == ["didUpdateLocations [2.0]"])
    }

    @Test func streamsCompleteWhenTheManagerGoes() {
      var manager: TestedManager? = TestedManager(source: rig.source)
      weak let weakManager = manager
      manager?.startUpdatingLocation()
      let log = (manager?.rx.didUpdateLocations).map { StreamLog($0) }
      rig.send(1)
      manager = nil
      #expect(weakManager == nil)
      #expect(log?.elements.count == 1)
      #expect(log?.completions == 1)
      #expect(!rig.source.isRunning)
    }

    @Test func aSubclassOfTheManagerHasTheSameProxy() {
      final class Navigator: TestedManager {}
      let navigator = Navigator(source: rig.source)
      navigator.startUpdatingLocation()
      let log = StreamLog(navigator.rx.didUpdateLocations)
      rig.send(1)
      #expect(log.elements.count == 1)
      #expect(ManagerProxy.proxy(for: navigator) === navigator.rx.delegate)
    }
  }

  /// Writes no method: what is called on it are the default implementations.
  private final class Forwarder: LocationManagerDelegate, DelegateForwarder {
    private let delegate: (any LocationManagerDelegate)?

    init(_ delegate: (any LocationManagerDelegate)?) {
      self.delegate = delegate
    }

    func forwardToDelegate<Delegate>(as type: Delegate.Type, method: String) -> Delegate? { delegate as? Delegate }
  }
#endif
