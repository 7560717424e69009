import HTTP
import RegionSockets
import FoundationEssentials
import Journal
import LocationKit
import Output
import Platform
import Publishing
import Rx
import RxLocation

/// What `--metrics` serves: the fix, and what went in and out.
@MainActor
final class Metrics {
  let registry = MetricsRegistry()
  private let bag = DisposeBag()

  /// Counts what the manager of `pipeline` reports, and the lines that its source passes over.
  init(of pipeline: Pipeline, source: any LocationSource) {
    let manager = pipeline.locationManager
    observeFix(of: manager)
    observe(pipeline.satellites, of: manager)
    for kind in source.skippedLines.keys.sorted() {
      registry.counter(
        "rxlocationd_bad_lines_total", help: "NMEA lines that were passed over, by kind.", labels: ["kind": kind]
      ) { source.skippedLines[kind].map(Double.init) }
    }
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
            "rxlocationd_errors_total", help: "Errors of the location service, by code.",
            labels: ["code": code.rawValue])
        )
      })
    manager.rx.didFailWithError
      .subscribe(onNext: { counters[$0.code]?.increment() })
      .disposed(by: bag)
  }

  private func observeFix(of manager: LocationManager) {
    let locations = registry.counter("rxlocationd_locations_total", help: "Locations that were reported.")
    let mode = registry.gauge("rxlocationd_fix_mode", help: "2 or 3 dimensions; 1 without a fix.")
    mode.value = 1
    let accuracy = registry.gauge(
      "rxlocationd_horizontal_accuracy_meters", help: "Horizontal accuracy of the last fix.")
    let lastFix = MetricsGauge()
    registry.gauge("rxlocationd_fix_age_seconds", help: "Seconds since the last fix arrived.") {
      lastFix.value.map { monotonicSeconds() - $0 }
    }
    manager.rx.didUpdateLocations
      .subscribe(onNext: { batch in
        locations.increment(by: batch.count)
        guard let location = batch.last else { return }
        mode.value = Double(location.mode.rawValue)
        accuracy.value = location.horizontalAccuracy
        lastFix.value = monotonicSeconds()
      })
      .disposed(by: bag)
    manager.rx.didChangeFixState
      .filter { $0.loss != nil }
      .subscribe(onNext: { _ in mode.value = 1 })
      .disposed(by: bag)
  }

  private func observe(_ satellites: Observable<[Satellite]>, of manager: LocationManager) {
    let seen = registry.gauge("rxlocationd_satellites_seen", help: "Satellites in view.")
    let used = registry.gauge("rxlocationd_satellites_used", help: "Satellites that the fix uses.")
    let bySystem = Satellite.System.allCases.map { system in
      let gauges = ["visible", "used"].map { state in
        registry.gauge(
          "rxlocationd_satellites", help: "Satellites by constellation: visible ones, and those that the fix uses.",
          labels: ["system": system.rawValue, "state": state])
      }
      return (system: system, visible: gauges[0], used: gauges[1])
    }
    satellites
      .subscribe(onNext: { satellites in
        seen.value = Double(satellites.count)
        used.value = Double(satellites.count(where: \.isUsed))
        for gauge in bySystem {
          let those = satellites.filter { $0.system == gauge.system }
          // A constellation that the receiver does not know has no metric; one that it has lost has a 0.
          if those.isEmpty && gauge.visible.value == nil { continue }
          gauge.visible.value = Double(those.count)
          gauge.used.value = Double(those.count(where: \.isUsed))
        }
      })
      .disposed(by: bag)
    manager.rx.didChangeSourceStatus
      .filter { if case .connected = $0 { false } else { true } }
      .subscribe(onNext: { _ in
        (seen.value, used.value) = (nil, nil)
        for gauge in bySystem { (gauge.visible.value, gauge.used.value) = (nil, nil) }
      })
      .disposed(by: bag)
  }

  /// Counts what the journal keeps and what it loses.
  func add(_ journal: JournalWriter) {
    registry.counter("rxlocationd_journal_rows_total", help: "Records that were committed to the journal.") {
      Double(journal.statistics.rows)
    }
    registry.counter("rxlocationd_journal_dropped_records_total", help: "Records that the journal could not take.") {
      Double(journal.statistics.dropped)
    }
    registry.counter(
      "rxlocationd_journal_unread_rows_total", help: "Rows that went from the journal before a reader had taken them."
    ) { Double(journal.statistics.unread) }
    registry.counter("rxlocationd_journal_failures_total", help: "Times that the journal began to fail.") {
      Double(journal.statistics.failures)
    }
    registry.gauge("rxlocationd_journal_bytes", help: "The size of the journal's file.") {
      Double(journal.statistics.bytes)
    }
  }

  /// Counts what the broker has taken and what waits for it.
  func add(_ publishing: JournalPublishing) {
    let read = { @Sendable in publishing.statistics }
    registry.gauge("rxlocationd_publish_connected", help: "1 while there is a session with the broker, else 0.") {
      read().isConnected ? 1 : 0
    }
    registry.gauge("rxlocationd_publish_queue_rows", help: "Records of the journal that wait for the broker.") {
      Double(read().waiting)
    }
    registry.gauge(
      "rxlocationd_publish_oldest_unsent_timestamp_seconds", help: "The fix's time of the oldest record that waits."
    ) { read().oldestWaiting?.timeIntervalSince1970 }
    registry.counter("rxlocationd_publish_sent_total", help: "Messages that were sent, repetitions included.") {
      Double(read().sent)
    }
    registry.counter("rxlocationd_publish_acknowledged_total", help: "Messages that the broker has acknowledged.") {
      Double(read().acknowledged)
    }
    registry.counter("rxlocationd_publish_refused_total", help: "Messages that the broker has refused.") {
      Double(read().refused)
    }
    registry.counter("rxlocationd_publish_reconnections_total", help: "Sessions with the broker beyond the first.") {
      Double(read().reconnections)
    }
    registry.gauge(
      "rxlocationd_publish_last_acknowledgement_timestamp_seconds", help: "When the broker acknowledged last."
    ) { read().lastAcknowledgement?.timeIntervalSince1970 }
  }

  /// Counts what the outputs write and what they lose.
  func add(locations: LocationStream, log: RegionLog?, socket: RegionSocket?) {
    var outputs: [(String, @Sendable () -> OutboxStatistics)] = [("standard output", { locations.statistics })]
    if let log { outputs.append(("region log", { log.statistics })) }
    for (output, statistics) in outputs {
      let labels: KeyValuePairs = ["output": output]
      registry.counter("rxlocationd_records_total", help: "Records that were written.", labels: labels) {
        Double(statistics().records)
      }
      registry.counter("rxlocationd_dropped_records_total", help: "Records that were lost.", labels: labels) {
        Double(statistics().dropped)
      }
      registry.counter("rxlocationd_written_bytes_total", help: "Bytes that were written.", labels: labels) {
        Double(statistics().written)
      }
    }
    guard let socket else { return }
    registry.gauge("rxlocationd_region_readers", help: "Readers of the region sockets.") {
      Double(socket.statistics.readers)
    }
    registry.counter("rxlocationd_regions_total", help: "Regions that were published.") {
      Double(socket.statistics.published)
    }
    registry.counter("rxlocationd_region_drops_total", help: "Regions that slow readers have missed.") {
      Double(socket.statistics.dropped)
    }
    registry.counter("rxlocationd_region_sent_bytes_total", help: "Bytes that were sent to readers.") {
      Double(socket.statistics.bytes)
    }
  }
}
