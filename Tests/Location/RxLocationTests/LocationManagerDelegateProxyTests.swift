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
  @MainActor @Suite(.inTurn) struct LocationManagerDelegateProxyTests {
    private let rig = Rig()
    private let region = Region(center: LocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "home")
    private let error = LocationError(.network, "gone")

    /// A call of each method.
    private var calls: [(any LocationManagerDelegate) -> Void] {
      let (manager, region, error) = (rig.manager, region, error)
      let visit = Visit(coordinate: region.center, horizontalAccuracy: 5, hasDeparted: true)
      return [
        { $0.locationManager(manager, didUpdateLocations: [Location(latitude: 9, longitude: 0)]) },
        { $0.locationManager(manager, didFailWithError: error) },
        { $0.locationManagerDidChangeAuthorization(manager) },
        { $0.locationManager(manager, didUpdateHeading: Heading(trueHeading: 4)) },
        { _ = $0.locationManagerShouldDisplayHeadingCalibration(manager) },
        { $0.locationManager(manager, didEnterRegion: region) },
        { $0.locationManager(manager, didExitRegion: region) },
        { $0.locationManager(manager, didDetermineState: .inside, for: region) },
        { $0.locationManager(manager, didStartMonitoringFor: region) },
        { $0.locationManager(manager, monitoringDidFailFor: region, withError: error) },
        { $0.locationManagerDidPauseLocationUpdates(manager) },
        { $0.locationManagerDidResumeLocationUpdates(manager) },
        { $0.locationManager(manager, didVisit: visit) },
        { $0.locationManager(manager, didChangeSourceStatus: .connecting) },
        { $0.locationManager(manager, didChangeFixState: .current) },
        { $0.locationManager(manager, didChangeDoubts: [.speed, .date]) },
        { $0.locationManager(manager, didUpdateSatellites: [9, 7].map { Satellite(system: .gps, number: $0) }) },
        { $0.locationManagerDidReachEndOfRecording(manager) },
      ]
    }

    /// What the observers of each method get, in the words of `Clerk`.
    private var streams: [Observable<String>] {
      let rx = rig.manager.rx
      return [
        rx.didUpdateLocations.map { "didUpdateLocations \($0.map(\.coordinate.latitude))" },
        rx.didFailWithError.map { "didFailWithError \($0.code)" },
        rx.didChangeAuthorization.map { $0 == .authorizedAlways ? "didChangeAuthorization" : "\($0)" },
        rx.didUpdateHeading.map { "didUpdateHeading \($0.trueHeading ?? -1)" },
        rx.delegate.methodInvoked(.shouldDisplayHeadingCalibration).map { _ in "shouldDisplayHeadingCalibration" },
        rx.didEnterRegion.map { "didEnterRegion \($0.identifier)" },
        rx.didExitRegion.map { "didExitRegion \($0.identifier)" },
        rx.didDetermineState.map { "didDetermineState \($0.state) \($0.region.identifier)" },
        rx.didStartMonitoring.map { "didStartMonitoring \($0.identifier)" },
        rx.monitoringDidFail.map { "monitoringDidFail \($0.region?.identifier ?? "none") \($0.error.code)" },
        rx.didPauseLocationUpdates.map { "didPauseLocationUpdates" },
        rx.didResumeLocationUpdates.map { "didResumeLocationUpdates" },
        rx.didVisit.map { "didVisit \($0.hasDeparted)" },
        rx.didChangeSourceStatus.map { "didChangeSourceStatus \($0)" },
        rx.didChangeFixState.map { "didChangeFixState \($0)" },
        rx.didChangeDoubts.map { "didChangeDoubts \($0.names)" },
        rx.didUpdateSatellites.map { "didUpdateSatellites \($0.map(\.number))" },
        rx.didReachEndOfRecording.map { "didReachEndOfRecording" },
      ]
    }

    /// What a delegate without a proxy hears.
    private var words: [String] {
      let clerk = Clerk()
      for call in calls { call(clerk) }
      return clerk.log
    }

    @Test func everyMethodIsForwardedAndObserved() throws {
      let clerk = Clerk()
      rig.manager.delegate = clerk
      let (logs, words) = (streams.map { StreamLog($0) }, words)
      let proxy = try #require(rig.manager.delegate)
      #expect(proxy is ManagerProxy)
      // A stream that observes another method shows after that method's call.
      for (index, call) in calls.enumerated() {
        call(proxy)
        #expect(clerk.log == Array(words[...index]))
        #expect(logs.map(\.elements) == words.enumerated().map { $0 <= index ? [$1] : [] })
      }
    }

    @Test func aMethodThatAProxyDoesNotWriteIsForwarded() {
      let clerk = Clerk()
      let forwarder = Forwarder(clerk)
      for call in calls { call(forwarder) }
      #expect(clerk.log == words)
      clerk.displaysCalibration = true
      #expect(forwarder.locationManagerShouldDisplayHeadingCalibration(rig.manager))
      #expect(!Forwarder(nil).locationManagerShouldDisplayHeadingCalibration(rig.manager))
    }

    @Test func everyMethodOfTheProtocolIsAmongThem() throws {
      // Each has a default implementation, so the compiler does not tell of one that the proxy lacks.
      let file = Checkout.file("Sources/Location/LocationKit/Manager/LocationManagerDelegate.swift")
      let declaration = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "}" }
      #expect(declaration.components(separatedBy: "\n  func ").count - 1 == Set(words).count)
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

    init(_ delegate: (any LocationManagerDelegate)?) { self.delegate = delegate }

    func forwardToDelegate<Delegate>(as type: Delegate.Type, method: String) -> Delegate? { delegate as? Delegate }
  }
#endif
