import Serving
import LocationKit
import Writing
import Platform
import Rx
import RxLocation

@MainActor
final class MetricsOutput: ReceiverOutput {
  let registry = MetricsRegistry()
  private let server: HTTPServer
  private let bag = DisposeBag()

  init(at address: Endpoint, _ outputs: Outputs) async throws(CommandError) {
    let route = HTTPRoute.answer { [registry] _ in
      HTTPResponse(contentType: "text/plain; version=0.0.4; charset=utf-8", text: registry.text())
    }
    server = try await HTTPServer.start(
      "metrics endpoint", ["/metrics": route], on: try outputs.networkLoop(), at: address, onNotice: outputs.onNotice)
    outputs.places.append("metrics \(server.url(at: address))metrics")
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { [] }

  convenience init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) {
    guard let address = settings.outputs.metrics else { return nil }
    try await self.init(at: address, outputs)
  }

  func bind(to pipeline: PipelineView) {
    let skippedLines = pipeline.skippedLines
    observeFix(of: pipeline)
    observeSatellites(of: pipeline)
    if let jumpCount = pipeline.jumpCount {
      let jumps = MetricsGauge()
      jumps.value = 0
      registry.counter("rxlocationd_jumps_total", help: "Fixes that --max-speed left out.") { jumps.value }
      pipeline.locations.subscribe(onNext: { _ in jumps.value = Double(jumpCount()) }).disposed(by: bag)
    }
    for kind in skippedLines().keys.sorted() {
      registry.counter(
        "rxlocationd_bad_lines_total", help: "NMEA lines that were skipped, by kind.", labels: ["kind": kind]
      ) { skippedLines()[kind].map(Double.init) }
    }
    let connections = registry.counter(
      "rxlocationd_gpsd_connections_total", help: "Connections to gpsd that were made.")
    pipeline.sourceStatuses
      .scan((wasConnected: false, isNew: false)) { state, status in
        guard case .connected = status else { return (false, false) }
        return (true, !state.wasConnected)
      }
      .filter(\.isNew)
      .subscribe(onNext: { _ in connections.increment() })
      .disposed(by: bag)

    var counters: [LocationError.Code: MetricsCounter] = [:]
    for code in LocationError.Code.allCases {
      counters[code] = registry.counter(
        "rxlocationd_errors_total", help: "Errors of the location service, by code.", labels: ["code": code.rawValue])
    }
    pipeline.errors
      .filter { $0.code != .regionMonitoringFailure }
      .subscribe(onNext: { [counters] in counters[$0.code]?.increment() })
      .disposed(by: bag)
  }

  func close() async { await server.shutdown() }

  private func observeFix(of pipeline: PipelineView) {
    let locations = registry.counter("rxlocationd_locations_total", help: "Locations that were reported.")
    let mode = registry.gauge("rxlocationd_fix_mode", help: "2 or 3 dimensions; 1 without a fix.")
    mode.value = 1
    let accuracy = registry.gauge(
      "rxlocationd_horizontal_accuracy_meters", help: "Horizontal accuracy of the last fix.")
    let dilution = ["horizontal", "vertical", "position", "time", "geometric"].map {
      registry.gauge(
        "rxlocationd_dilution_of_precision", help: "Dilutions of precision of the last fix.", labels: ["of": $0])
    }
    let isDifferential = registry.gauge(
      "rxlocationd_fix_differential", help: "1 with differential corrections of any kind, RTK included; else 0.")
    let status = observeStatus()
    let doubts = observeDoubts()
    let correctionAge = registry.gauge(
      "rxlocationd_differential_correction_age_seconds", help: "Age of the differential correction of the last fix.")
    let climb = registry.gauge(
      "rxlocationd_climb_meters_per_second", help: "Vertical speed of the last fix; negative downwards.")
    let geoidSeparation = registry.gauge(
      "rxlocationd_geoid_separation_meters",
      help: "Mean sea level above the WGS84 ellipsoid at the last fix; negative below it.")
    let lastFix = MetricsGauge()
    registry.gauge("rxlocationd_fix_age_seconds", help: "Seconds since the last fix arrived.") {
      lastFix.value.map { monotonicSeconds() - $0 }
    }
    pipeline.locations
      .subscribe(onNext: { batch in
        locations.increment(by: batch.count)
        guard let location = batch.last else { return }
        mode.value = Double(location.mode.rawValue)
        accuracy.value = location.horizontalAccuracy
        let quality = location.quality
        let factors = [quality?.hdop, quality?.vdop, quality?.pdop, quality?.tdop, quality?.gdop]
        for (gauge, value) in zip(dilution, factors) { gauge.value = value }
        isDifferential.value = quality?.status?.isDifferential == true ? 1 : 0
        status.value = Double(quality?.status.flatMap { GNSSQuality.Status.allCases.firstIndex(of: $0) } ?? -1)
        doubts.value = Double(location.doubts?.rawValue ?? 0)
        correctionAge.value = quality?.dgpsAge
        climb.value = location.climb
        geoidSeparation.value = quality?.geoidSeparation
        lastFix.value = monotonicSeconds()
      })
      .disposed(by: bag)
    pipeline.losses
      .subscribe(onNext: { _ in (mode.value, status.value, doubts.value) = (1, nil, nil) })
      .disposed(by: bag)
  }

  /// The status of the fix as an OpenMetrics state set, a series for each status. The gauge is the number of the status in
  /// `allCases`, another number for a plain fix, and `nil` without a fix.
  private func observeStatus() -> MetricsGauge {
    let present = MetricsGauge()
    for (number, status) in GNSSQuality.Status.allCases.enumerated() {
      registry.gauge(
        "rxlocationd_fix_status", help: "1 for what is special about the fix, else 0; all are 0 for a plain fix.",
        labels: ["status": status.rawValue]
      ) { present.value.map { $0 == Double(number) ? 1 : 0 } }
    }
    return present
  }

  /// The doubts as a state set like that of the status. The gauge has their bits, and `nil` without a fix.
  private func observeDoubts() -> MetricsGauge {
    let present = MetricsGauge()
    for doubt in Doubts.all {
      registry.gauge(
        "rxlocationd_fix_doubt", help: "1 for a reason to doubt the fix, else 0.", labels: ["doubt": doubt.names]
      ) { present.value.map { Doubts(rawValue: UInt8($0)).isSuperset(of: doubt) ? 1 : 0 } }
    }
    return present
  }

  private func observeSatellites(of pipeline: PipelineView) {
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
    pipeline.satellites
      .subscribe(onNext: { satellites in
        seen.value = Double(satellites.count)
        used.value = Double(satellites.count(where: \.isUsed))
        for gauge in bySystem {
          let those = satellites.filter { $0.system == gauge.system }
          // A constellation that was never seen has no metric; a lost constellation has a 0.
          if those.isEmpty && gauge.visible.value == nil { continue }
          gauge.visible.value = Double(those.count)
          gauge.used.value = Double(those.count(where: \.isUsed))
        }
      })
      .disposed(by: bag)
    pipeline.sourceStatuses
      .filter { if case .connected = $0 { false } else { true } }
      .subscribe(onNext: { _ in
        (seen.value, used.value) = (nil, nil)
        for gauge in bySystem { (gauge.visible.value, gauge.used.value) = (nil, nil) }
      })
      .disposed(by: bag)
  }
}
