import Dispatch
import LocationKit
import Output
import Rx
import RxLocation

/// What `--metrics` serves: the fix, and what went in and out.
@MainActor
final class Metrics {
  let registry = MetricsRegistry()
  private let bag = DisposeBag()

  /// Counts what `manager` reports.
  init(of manager: LocationManager) {
    observeFix(of: manager)
    let connections = registry.counter(
      "rxlocationd_gpsd_connections_total", help: "Connections to gpsd that were made.")
    manager.rx.didChangeSourceStatus
      .scan((wasConnected: false, isNew: false)) { state, status in
        guard case .connected = status else { return (false, false) }
        return (true, !state.wasConnected)
      }
      .filter(\.isNew)
      .subscribe(onNext: { _ in connections.increment() })
      .disposed(by: bag)

    let counters = Dictionary(
      uniqueKeysWithValues: LocationError.Code.allCases.map { code in
        (
          code,
          registry.counter(
            "rxlocationd_errors_total", help: "Errors of the location service, by code.", labels: ["code": code.rawValue])
        )
      })
    manager.rx.didFailWithError
      .subscribe(onNext: { counters[$0.code]?.increment() })
      .disposed(by: bag)
  }

  private func observeFix(of manager: LocationManager) {
    let locations = registry.counter("rxlocationd_locations_total", help: "Locations that were reported.")
    let mode = registry.gauge("rxlocationd_fix_mode", help: "2 or 3 dimensions; 1 without a fix.")
    let accuracy = registry.gauge(
      "rxlocationd_horizontal_accuracy_meters", help: "Horizontal accuracy of the last fix.")
    let lastFix = MetricsGauge()
    registry.gauge("rxlocationd_fix_age_seconds", help: "Seconds since the last fix arrived.") {
      lastFix.value.map { Self.uptime - $0 }
    }
    manager.rx.didUpdateLocations
      .subscribe(onNext: { batch in
        locations.increment(by: batch.count)
        guard let location = batch.last else { return }
        mode.value = Double(location.mode.rawValue)
        accuracy.value = location.horizontalAccuracy
        lastFix.value = Self.uptime
      })
      .disposed(by: bag)
    manager.rx.didFailWithError
      .filter { $0.code == .locationUnknown }
      .subscribe(onNext: { _ in mode.value = 1 })
      .disposed(by: bag)

    let seen = registry.gauge("rxlocationd_satellites_seen", help: "Satellites in view.")
    let used = registry.gauge("rxlocationd_satellites_used", help: "Satellites that the fix uses.")
    manager.rx.didUpdateSatellites
      .subscribe(onNext: { counts in
        seen.value = Double(counts.seen)
        used.value = Double(counts.used)
      })
      .disposed(by: bag)
  }

  nonisolated private static var uptime: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
