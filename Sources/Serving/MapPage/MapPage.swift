import Dispatch
import FoundationEssentials
import Serving
import HeadlessMap
import LocationKit
import Records
import Tracks

/// A page that shows a `MapView` in a browser, live: set it as the map's delegate.
///
/// It draws the user's location, the trail if it is on the map, regions as fences, and the map's region. A
/// panel beside the map shows what the map does not have: the source, the satellites, the states of the fences.
@MainActor
package final class MapPage: MapViewDelegate {
  package struct Configuration: Sendable {
    package enum Kind: String, Sendable {
      case gpsd
      case replay
      case track
    }

    package var version: String
    package var source: String
    package var kind: Kind
    package var leafletFolder = "/usr/share/javascript/leaflet"
    package var tiles: MapTiles?
    package var history: (any MapHistory)?
    package var replay: ReplayControl?
    /// The units of the figures; `nil` for those of the browser's country.
    package var units: MeasurementUnits?
    /// The number of seconds for which a disconnected browser counts as audience.
    var patience = 30.0

    package init(version: String, source: String, kind: Kind) {
      (self.version, self.source, self.kind) = (version, source, kind)
    }
  }

  /// The trail; it is drawn while it is on the map.
  package let trail: Trail
  package let routes: [String: HTTPRoute]
  /// The advice about missing files of Leaflet, in one sentence; `nil` if none is missing.
  package let help: String?
  /// Called at once and at each change, with whether the page has an audience: a browser shows it, or did within half a
  /// minute, or has had no time to connect since the start. Data that only the page needs are produced only while it is
  /// true.
  package var onAudience: (@MainActor (Bool) -> Void)? { didSet { onAudience?(stream.hasAudience) } }
  private let stream: EventStream<MapState>

  package init(on loop: NetworkLoop, _ configuration: Configuration) {
    let assets = MapAssets(.receiver, leafletIn: configuration.leafletFolder)
    help = assets.help
    let state = MapState(
      page: PageMembers(
        version: configuration.version, tiles: configuration.tiles, units: configuration.units,
        hasHistory: configuration.history != nil, help: help),
      source: .init(name: configuration.source, kind: configuration.kind))
    let stream = EventStream(on: loop, value: state, patience: configuration.patience) { $0.json }
    self.stream = stream
    trail = Trail(stream)
    var routes = configuration.history?.routes ?? [:]
    routes["/events"] = stream.route
    routes["/state.json"] = .answer { _ in HTTPResponse(json: stream.valueForAudience().json + [10]) }
    routes["/trail.geojson"] = .answer { TrailDocument.response(to: $0, of: stream.value.trail) }
    if let replay = configuration.replay {
      routes["/replay"] = .command { replay.response(to: $0) }
      Self.show(replay, on: stream)
    }
    self.routes = assets.routes(with: routes, configuration.tiles)
    stream.onAudience { [weak self] hasAudience in
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.setAudience(hasAudience) } }
    }
  }

  private static func show(_ replay: ReplayControl, on stream: EventStream<MapState>) {
    replay.onChange { [weak stream, weak replay] in
      stream?.update { state, hasAudience in
        guard let replay = replay?.state else { return [] }
        state.show(replay)
        guard hasAudience else { return [] }
        return [ServerEvent("replay", data: RecordBuffer.bytes { replay.append(to: &$0) })]
      }
    }
    stream.replace { $0.show(replay.state) }
  }

  /// Two changes may arrive together; only the second one counts then.
  private func setAudience(_ hasAudience: Bool) {
    guard hasAudience == stream.hasAudience else { return }
    onAudience?(hasAudience)
    // Satellites are no longer reported.
    if !hasAudience { show([]) }
  }

  // MARK: The map

  package func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
    let region = mapView.region
    stream.update { state, hasAudience in
      guard state.region != region else { return [] }
      state.region = region
      guard hasAudience else { return [] }
      return [ServerEvent("region", data: RecordBuffer.bytes { NDJSONFormatter.appendObject(region, to: &$0) })]
    }
  }

  package func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
    guard userLocation.isUpdating, let location = userLocation.location else { return }
    stream.update { state, hasAudience in
      state.show(location)
      let beginsAgain = state.beginsTrailAgain(at: location)
      let addition = state.showsTrail ? state.trail.append(location) : .leftOut
      guard hasAudience else { return [] }
      if beginsAgain { return [ServerEvent("state", data: state.json)] }
      return [ServerEvent("location", data: state.locationData(addition))]
    }
  }

  package func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) { showOverlays(of: mapView) }

  package func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) { showOverlays(of: mapView) }

  private func showOverlays(of mapView: MapView) {
    let showsTrail = mapView.overlays.contains { $0 === trail }
    stream.update { state in
      state.showsTrail = showsTrail
      return []
    }
    let regions = mapView.overlays.compactMap { ($0 as? RegionCircle)?.region }
    changeFences { fences in
      fences = regions.map { region in fences.first { $0.region == region } ?? MapState.Fence(region: region) }
    }
  }

  private func changeFences(_ change: (inout [MapState.Fence]) -> Void) {
    stream.update { state in
      let before = state.fences
      change(&state.fences)
      guard state.fences != before else { return [] }
      if state.fences.map(\.region) == before.map(\.region) {
        // The outlines of many polygons are long, so a crossing sends only the new sides.
        let changed = zip(state.fences, before).filter { $0 != $1 }.map(\.0)
        return [ServerEvent("sides", data: RecordBuffer.bytes { MapState.appendSides(of: changed, to: &$0) })]
      }
      return [ServerEvent("fences", data: RecordBuffer.bytes { state.appendFences(to: &$0) })]
    }
  }

  package func show(earlier trail: TrailLine) { stream.replace { $0.trail = $0.trail.following(trail) } }

  // MARK: A recording

  package func show(reading message: String) { change { $0.source.message = message } }

  package func show(_ recording: MapRecording) {
    stream.replace { state in
      (state.source.status, state.source.message) = ("ended", "")
      (state.trail, state.showsTrail) = (recording.trail, true)
      state.recording = recording
    }
  }

  // MARK: The panel

  package func show(_ status: LocationSourceStatus) {
    change { state in
      let name = state.source.name
      let isReplay = state.source.kind == .replay
      state.source.reason = if case .waiting(let reason, _) = status { reason } else { nil }
      (state.source.status, state.source.message) =
        switch status {
        case .idle: ("waiting", "")
        case .connecting: ("waiting", isReplay ? "opening \(name)" : "connecting to gpsd at \(name)")
        case .waiting(let reason, _): ("waiting", "no gpsd at \(name): \(reason)")
        case .connected(let devices):
          ("connected", !isReplay && devices.isEmpty ? "gpsd has no receiver" : "")
        case .finished: ("ended", "\(name) has ended")
        }
      if state.source.status != "connected" { state.satellites = [] }
    }
  }

  /// Shows whether there is a fix. The location itself comes from the map.
  package func show(_ fixState: FixState) {
    guard let loss = fixState.loss else { return }
    change { state in
      state.trail.interrupt()
      state.fix = loss.reason == .receiver || loss.location == nil ? .none : .stale
    }
  }

  /// Shows that the location is withheld from the page. The next location ends that.
  package func showHidden() { change { $0.fix = .hidden } }

  /// Shows the current trip or stop together with the next location.
  package func show(_ trip: Trip?, _ stop: StopAccuracy?) {
    stream.update { state in
      (state.trip, state.stop) = (trip, stop)
      return []
    }
  }

  package func show(_ satellites: [Satellite]) {
    stream.update { state in
      state.satellites = satellites
      return [ServerEvent("satellites", data: RecordBuffer.bytes { $0.append(state.satellites) })]
    }
  }

  package func show(_ state: RegionState, of region: Region) {
    changeFences { fences in
      for index in fences.indices where fences[index].region == region { fences[index].state = state }
    }
  }

  private func change(_ change: (inout MapState) -> Void) {
    stream.update { state in
      let before = (state.source, state.fix)
      change(&state)
      guard before != (state.source, state.fix) else { return [] }
      let data = RecordBuffer.bytes { $0.appendObject { state.appendStatus(to: &$0) } }
      return [ServerEvent("status", data: data)]
    }
  }
}

/// The trail of the user of a map, while it is an overlay of that map. It grows by itself.
package final class Trail: Polyline {
  private let stream: EventStream<MapState>

  init(_ stream: EventStream<MapState>) {
    self.stream = stream
    super.init(coordinates: [])
  }

  package override var coordinates: [LocationCoordinate2D] { stream.value.trail.points.map(\.coordinate) }

  package func forEachLocation(_ body: (Location?) -> Void) {
    for point in stream.value.trail.points {
      if point.isAfterBreak { body(nil) }
      body(
        Location(
          coordinate: point.coordinate, altitude: point.altitude, speed: point.speed,
          timestamp: point.time.map { Date(timeIntervalSince1970: $0) }))
    }
  }

  package override var pointCount: Int { stream.value.trail.points.count }
}
