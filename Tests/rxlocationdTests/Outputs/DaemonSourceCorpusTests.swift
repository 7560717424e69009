import DaemonSource
import Foundation
import LocationKit
import Logging
import NMEA
import Records
import Rx
import Serving
import TestSupport
import Testing

@testable import rxlocationd

/// A program that follows the daemon has the same calls of its delegate as one that has the receiver.
@MainActor @Suite(.startsPrograms) struct DaemonSourceCorpusTests {
  nonisolated private static let folder = Checkout.shared.appending(path: "corpus/nmea").path
  /// Recordings of real receivers beside the package, when they are there.
  nonisolated private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".log") }.sorted()

  @Test(.enabled(if: !names.isEmpty, "there is no corpus"), arguments: names)
  func theCallsAreTheSame(name: String) async throws {
    let path = "\(Self.folder)/\(name)"
    // A fence around the middle of the way, and one around all of it.
    let way = Calls([])
    try await way.follow(NMEASource(NMEASource.open([path]), speed: .max))
    let middle = way.places.isEmpty ? LocationCoordinate2D(latitude: 1, longitude: 2) : way.places[way.places.count / 2]
    let fences = [(60.0, "middle"), (50_000, "all")].map { Region(center: middle, radius: $0, identifier: $1) }

    let direct = Calls(fences)
    try await direct.follow(NMEASource(NMEASource.open([path]), speed: .max))
    let through = Calls(fences)
    try await through.followDaemon(playing: path)
    #expect(through.lines == direct.lines)
    #expect(direct.lines.last == "end")
  }
}

/// The calls of a delegate as lines, with numbers as records have them.
@MainActor
private final class Calls: LocationManagerDelegate {
  private(set) var lines: [String] = []
  private(set) var places: [LocationCoordinate2D] = []
  private let fences: [Region]

  init(_ fences: [Region]) { self.fences = fences }

  /// Requests everything of a source until its end.
  func follow(_ source: any LocationSource, _ start: () -> Void = {}) async throws {
    // A source decodes from its start on what is wanted then.
    let first = AnyReceiver()
    source.attach(first)
    let manager = LocationManager(source: source)
    manager.delegate = self
    manager.startMonitoringDoubts()
    manager.startUpdatingSatellites()
    manager.startUpdatingHeading()
    manager.startMonitoringVisits()
    for fence in fences { manager.startMonitoring(for: fence) }
    manager.startUpdatingLocation()
    source.detach(first)
    start()
    guard await eventually({ lines.last == "end" }) else { throw SupportError("no end after \(lines.count) calls") }
  }

  /// The same through a location socket, from the recording's beginning on.
  func followDaemon(playing path: String) async throws {
    let folder = TemporaryFolder()
    let settings = try Settings.parse(["--location-socket", "unix:\(folder.path("s"))"])
    let outputs = Outputs(name: "here", isReplay: true, logger: Logger(label: ""), onEnd: {})
    let output = try #require(try await LocationSocketOutput(outputs, settings))
    let recording = try NMEASource(NMEASource.open([path]), speed: .max)
    let pipeline = Pipeline(source: recording, settings: settings)
    output.bind(to: pipeline.view(for: try settings.policy([])))

    let source = DaemonSource(path: folder.path("s"))
    let early = AnyReceiver()
    source.attach(early)
    let isReady = await eventually { early.hasStatus && output.wanted.value == [.satellites, .headings] }
    #expect(isReady)
    try await follow(source) {
      source.detach(early)
      recording.attach(early)
      pipeline.start(knowing: [])
      recording.detach(early)
    }
    await output.finish()
    await outputs.network?.shutdown()
    #expect(output.loss == nil && source.skippedLines == ["malformed": 0])
  }

  private func text(_ append: (NDJSONFormatter, inout RecordBuffer) -> Void) -> String {
    String(decoding: RecordBuffer.bytes { append(NDJSONFormatter(), &$0) }, as: UTF8.self)
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    places += locations.map(\.coordinate)
    for location in locations { lines.append(text { $0.append(location, to: &$1) }) }
  }
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    lines.append(text { $0.append(error, to: &$1) })
  }
  func locationManager(_ manager: LocationManager, didChangeFixState state: FixState) {
    let last = state.loss?.location.map { location in text { $0.append(location, to: &$1) } }
    lines.append(text { $0.append(state, to: &$1) } + (last ?? ""))
  }
  func locationManager(_ manager: LocationManager, didChangeDoubts doubts: Doubts) {
    lines.append(text { $0.append(doubts, to: &$1) })
  }
  func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
    lines.append(text { $0.append(satellites, to: &$1) })
  }
  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {
    lines.append(text { $0.append(heading, to: &$1) })
  }
  func locationManagerShouldDisplayHeadingCalibration(_ manager: LocationManager) -> Bool {
    lines.append("calibration")
    return false
  }
  func locationManager(_ manager: LocationManager, didEnterRegion region: Region) {
    lines.append("enter \(region.identifier)")
  }
  func locationManager(_ manager: LocationManager, didExitRegion region: Region) {
    lines.append("exit \(region.identifier)")
  }
  func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
    lines.append("\(state) \(region.identifier)")
  }
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
  ) {
    lines.append("\(region?.identifier ?? "") \(error.message)")
  }
  func locationManager(_ manager: LocationManager, didVisit visit: Visit) { lines.append("visit") }
  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { lines.append("end") }
}

/// A receiver that wants everything, and waits for the daemon.
@MainActor
private final class AnyReceiver: LocationSourceReceiver {
  private(set) var hasStatus = false
  func receive(_ event: LocationSourceEvent) { if case .status = event { hasStatus = true } }
}
