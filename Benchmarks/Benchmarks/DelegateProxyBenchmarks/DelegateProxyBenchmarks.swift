import Benchmark
import Foundation
import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation

// Calls of a delegate method through a proxy, beside direct calls of the same method of the same protocol. Times are
// for a thousand calls, so microseconds in the table are nanoseconds per call. `opaque` hides values from the
// optimiser. A second thread is alive, as in a program that needs this library.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock],
    warmupIterations: 20,
    scalingFactor: .kilo,
    maxDuration: .milliseconds(150),
    maxIterations: 20_000)
  Thread { while true { Thread.sleep(forTimeInterval: 0.001) } }.start()

  calls()
  answers()
  pipeline()
}

@Sendable
private func calls() {
  Benchmark("call, direct") { @MainActor benchmark async in
    call(opaque(User()), benchmark)
  }
  // The cost of a weak reference alone.
  Benchmark("call, direct, delegate held weakly") { @MainActor benchmark async in
    let (gauge, user) = (Gauge(), User())
    gauge.delegate = user
    let values = [1, 2, 3]
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { opaque(gauge).delegate?.gauge(gauge, didChange: values) }
    benchmark.stopMeasurement()
    withExtendedLifetime(user) {}
  }
  for forwarding in Forwarding.allCases {
    Benchmark("call, unobserved, \(forwarding.rawValue)") { @MainActor benchmark async in
      let rig = Rig(forwarding)
      call(opaque(rig.proxy), benchmark)
    }
    Benchmark("call, another method observed, \(forwarding.rawValue)") { @MainActor benchmark async in
      let rig = Rig(forwarding)
      let subscription = rig.proxy.methodInvoked(.shouldStop).subscribe(onNext: { blackHole($0.value) })
      call(opaque(rig.proxy), benchmark)
      subscription.dispose()
    }
    Benchmark("call, observed by one, \(forwarding.rawValue)") { @MainActor benchmark async in
      let rig = Rig(forwarding)
      let subscription = rig.proxy.methodInvoked(.didChange).subscribe(onNext: { blackHole($0.values) })
      call(opaque(rig.proxy), benchmark)
      subscription.dispose()
    }
  }
}

@Sendable
private func answers() {
  Benchmark("question, direct") { @MainActor benchmark async in
    ask(opaque(User()), benchmark)
  }
  for forwarding in Forwarding.allCases {
    Benchmark("question, unobserved, \(forwarding.rawValue)") { @MainActor benchmark async in
      let rig = Rig(forwarding)
      ask(opaque(rig.proxy), benchmark)
    }
  }
}

/// From a fix to the region that is read from a map: the hot path of a replay.
@Sendable
private func pipeline() {
  let names = ["fix to manager's delegate", "fix to manager's delegate to map"]
  for (name, isReactive) in [(names[0], false), (names[1], false), ("fix to didUpdateLocations to map, by Rx", true)] {
    Benchmark(name) { @MainActor benchmark async in
      let source = SimulatedLocationSource(clock: VirtualClock())
      let manager = LocationManager(source: source)
      let map = MapView()
      let bag = DisposeBag()
      let reader = Reader()
      let mover = Mover(name == names[1] ? map : nil)
      if isReactive {
        manager.rx.didUpdateLocations.map { $0[0] }.bind(to: map.rx.center).disposed(by: bag)
        map.rx.regionDidChange.subscribe(onNext: { blackHole($0) }).disposed(by: bag)
      } else {
        manager.delegate = mover
        map.delegate = reader
      }
      manager.startUpdatingLocation()
      let fixes = (0..<100).map { Location(latitude: Double($0) / 100, longitude: 0) }
      benchmark.startMeasurement()
      for iteration in benchmark.scaledIterations { source.send(.location(fixes[iteration % 100])) }
      benchmark.stopMeasurement()
      withExtendedLifetime((mover, reader)) {}
    }
  }
}

@MainActor
@inline(never)
private func call(_ delegate: any GaugeDelegate, _ benchmark: Benchmark) {
  let gauge = Gauge()
  // An object with a delegate usually has a weak reference to it, such as that of its proxy.
  weak let reference = gauge
  let values = [1, 2, 3]
  benchmark.startMeasurement()
  for _ in benchmark.scaledIterations { delegate.gauge(gauge, didChange: values) }
  benchmark.stopMeasurement()
  blackHole(reference)
}

@MainActor
@inline(never)
private func ask(_ delegate: any GaugeDelegate, _ benchmark: Benchmark) {
  let gauge = Gauge()
  benchmark.startMeasurement()
  for iteration in benchmark.scaledIterations { blackHole(delegate.gauge(gauge, shouldStopAt: iteration)) }
  benchmark.stopMeasurement()
}

@inline(never)
private func opaque<Value>(_ value: Value) -> Value { value }

private final class Mover: LocationManagerDelegate {
  private let map: MapView?

  init(_ map: MapView?) {
    self.map = map
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    let region = CoordinateRegion(
      center: locations[0].coordinate, latitudinalMeters: 10_000, longitudinalMeters: 10_000)
    if let map { map.setRegion(region, animated: true) } else { blackHole(region) }
  }
}

private final class Reader: MapViewDelegate {
  func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) { blackHole(mapView.region) }
}
