import Dispatch
import FoundationEssentials
public import HTTP
public import HeadlessMap
public import LocationKit
import Platform
import Records
public import Sockets

/// A page that shows a `MapView` in a browser, live: set it as the map's delegate.
///
/// It draws the user's location, the trail if it is on the map, circular regions as fences, and the map's region. A
/// panel beside the map shows what the map does not have: the source, the satellites, the states of the fences.
@MainActor
public final class MapPage: MapViewDelegate {
  /// The settings of a page.
  public struct Configuration: Sendable {
    /// The kind of source that a page shows.
    public enum Kind: String, Sendable {
      /// A receiver under gpsd, live.
      case gpsd
      /// A recording that is played.
      case replay
      /// A whole recording.
      case track
    }

    /// The program's version.
    public var version: String
    /// The name of the source for a person.
    public var source: String
    /// The kind of the source.
    public var kind: Kind
    /// The folder of Leaflet's files.
    public var leafletFolder = "/usr/share/javascript/leaflet"
    /// The background of the map; `nil` for none.
    public var tiles: MapTiles?
    /// Reads the track of a period on a thread that may wait, and ends early if `goesOn` returns false. `goesOn` may
    /// wait as well, so it is called without a lock or a transaction.
    public typealias History =
      @Sendable (_ period: MapPeriod, _ goesOn: () -> Bool) throws(MapHistoryError) -> MapRecording
    /// Reads earlier periods; `nil` for a page without a history.
    public var history: History?
    /// Writes the locations of a period as GPX, as `History` reads them.
    public typealias Document =
      @Sendable (_ period: MapPeriod, _ goesOn: () -> Bool) throws(MapHistoryError) -> [UInt8]
    /// Writes earlier periods for a download; `nil` for a page without a history.
    public var document: Document?
    /// Returns the quarters of an hour since 1970 that have a location, in order.
    public typealias Quarters = @Sendable (_ goesOn: () -> Bool) throws(MapHistoryError) -> [Int64]
    /// Finds the days with data; `nil` for a page without a history.
    public var quarters: Quarters?
    /// The control of the replay; `nil` if the page cannot control it.
    package var replay: ReplayControl?
    /// The units of the figures; `nil` for those of the browser's country.
    public var units: MeasurementUnits?
    /// The number of seconds for which a disconnected browser counts as audience.
    var patience = 30.0

    /// Creates a configuration.
    public init(version: String, source: String, kind: Kind) {
      (self.version, self.source, self.kind) = (version, source, kind)
    }
  }

  /// The trail; it is drawn while it is on the map.
  public let trail: Trail
  /// The routes of the page.
  public let routes: [String: HTTPRoute]
  /// The advice about missing files of Leaflet, in one sentence; `nil` if none is missing.
  public let help: String?
  /// Called at once and at each change, with whether the page has an audience: a browser shows it, or did within half a
  /// minute, or has had no time to connect since the start. Data that only the page needs are produced only while it is
  /// true.
  public var onAudience: (@MainActor (Bool) -> Void)? {
    didSet { onAudience?(stream.hasAudience) }
  }
  private let stream: EventStream<MapState>

  /// Creates a page and reads Leaflet's files.
  public init(on loop: NetworkLoop, _ configuration: Configuration) {
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
    var routes: [String: HTTPRoute] = [
      "/events": stream.route,
      "/state.json": .answer { _ in HTTPResponse(json: stream.valueForAudience().json + [10]) },
      "/trail.geojson": .answer { TrailDocument.response(to: $0, of: stream.value.trail) },
    ]
    let duration: @Sendable (HTTPRequest) -> Double = { request in
      (try? MapPeriod(request)).map { $0.until.timeIntervalSince($0.since) } ?? 0
    }
    if let history = configuration.history {
      routes["/history.json"] = .computed(weight: duration) { request in
        MapPeriod.response(to: request) { period throws(MapHistoryError) in
          HTTPResponse(json: try history(period, request.goesOn).json)
        }
      }
    }
    if let document = configuration.document {
      routes["/history.gpx"] = .computed(weight: duration) { request in
        MapPeriod.response(to: request) { period throws(MapHistoryError) in
          HTTPResponse(contentType: "application/gpx+xml", body: try document(period, request.goesOn))
        }
      }
    }
    if let quarters = configuration.quarters {
      routes["/quarters.json"] = .computed { _ in
        0
      } _: { request in
        do throws(MapHistoryError) {
          let found = try quarters(request.goesOn)
          return HTTPResponse(json: RecordBuffer.bytes { $0.appendArray(found) { $0.append(Int($1)) } })
        } catch {
          return HTTPResponse(status: 503, text: error.message + "\n")
        }
      }
    }
    if let replay = configuration.replay {
      routes["/replay"] = .command { Self.response(to: $0, replay) }
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
    self.routes = assets.routes(with: routes, configuration.tiles)
    stream.onAudience { [weak self] isThere in
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.setAudience(isThere) } }
    }
  }

  /// Two changes may arrive together; only the second one counts then.
  private func setAudience(_ isThere: Bool) {
    guard isThere == stream.hasAudience else { return }
    onAudience?(isThere)
    // Satellites are no longer reported.
    if !isThere { show([]) }
  }

  // MARK: The map

  /// Shows the region.
  public func mapView(_ mapView: MapView, regionDidChangeAnimated animated: Bool) {
    let region = mapView.region
    stream.update { state, hasAudience in
      guard state.region != region else { return [] }
      state.region = region
      guard hasAudience else { return [] }
      return [ServerEvent("region", data: RecordBuffer.bytes { NDJSONFormatter.appendObject(region, to: &$0) })]
    }
  }

  /// Shows the user's location.
  public func mapView(_ mapView: MapView, didUpdate userLocation: UserLocation) {
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

  /// Draws the trail and the circles.
  public func mapView(_ mapView: MapView, didAdd overlays: [any Overlay]) {
    change(overlays, of: mapView, areThere: true)
  }

  /// Draws the remaining circles.
  public func mapView(_ mapView: MapView, didRemove overlays: [any Overlay]) {
    change(overlays, of: mapView, areThere: false)
  }

  private func change(_ overlays: [any Overlay], of mapView: MapView, areThere: Bool) {
    if overlays.contains(where: { $0 === trail }) {
      stream.update { state in
        state.showsTrail = areThere
        return []
      }
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
      return [ServerEvent("fences", data: RecordBuffer.bytes { state.appendFences(to: &$0) })]
    }
  }

  /// Shows the trail of an earlier run before that of this one.
  public func show(earlier trail: TrailLine) {
    stream.replace { $0.trail = $0.trail.following(trail) }
  }

  // MARK: A recording

  /// Carries out the order in a query: `paused=true` or `false`, `speed=4` or `max`, `seek=90` or `ahead=60` in seconds.
  private nonisolated static func response(to request: HTTPRequest, _ replay: ReplayControl) -> HTTPResponse {
    let parts = (request.query ?? "").split(separator: "=", maxSplits: 1).map(String.init)
    let number = parts.last.flatMap { Double(decimal: $0) } ?? -1
    switch (parts.first, parts.last) {
    case ("paused", "true"): replay.order { ($0.isPaused, $0.target) = (true, nil) }
    case ("paused", "false"): replay.order { $0.isPaused = false }
    case ("speed", "max"): replay.order { $0.factor = nil }
    case ("speed", _) where (0.01...10_000).contains(number): replay.order { $0.factor = number }
    case ("seek", _) where number >= 0: replay.order { $0.target = number }
    case ("ahead", _) where number > 0: replay.order { $0.target = ($0.target ?? $0.position) + number }
    default:
      let orders = "paused=true|false, speed=FACTOR|max, seek=SECONDS, ahead=SECONDS"
      return HTTPResponse(status: 400, text: "not an order; the orders are \(orders)\n")
    }
    return HTTPResponse(json: RecordBuffer.bytes { replay.state.append(to: &$0) } + [10])
  }

  /// Shows that a recording is being read, in words that name it.
  public func show(reading message: String) {
    change { $0.source.message = message }
  }

  /// Shows a whole recording in place of live data.
  public func show(_ recording: MapRecording) {
    stream.replace { state in
      (state.source.status, state.source.message) = ("ended", "")
      (state.trail, state.showsTrail) = (recording.trail, true)
      state.recording = recording
    }
  }

  // MARK: The panel

  /// Seconds without a fix after which the location counts as unknown.
  public func setStaleAfter(_ seconds: Double) {
    stream.update { state in
      guard state.staleAfter != seconds else { return [] }
      state.staleAfter = seconds
      let data = RecordBuffer.bytes { buffer in
        buffer.appendObject {
          $0.appendKey("staleAfter")
          $0.appendJSONNumber(seconds)
        }
      }
      return [ServerEvent("settings", data: data)]
    }
  }

  /// Shows the status of the source.
  public func show(_ status: LocationSourceStatus) {
    change { state in
      let name = state.source.name
      let isReplay = state.source.kind == .replay
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
  public func show(_ fixState: FixState) {
    guard let loss = fixState.loss else { return }
    change { state in
      state.trail.interrupt()
      state.fix = loss.reason == .receiver || loss.location == nil ? .none : .stale
    }
  }

  /// Shows that the location is withheld from the page. The next location ends that.
  public func showHidden() {
    change { $0.fix = .hidden }
  }

  /// Shows the current trip or stop together with the next location.
  public func show(_ trip: MapTrip?, _ stop: MapStop?) {
    stream.update { state in
      (state.trip, state.stop) = (trip, stop)
      return []
    }
  }

  /// Shows the satellites.
  public func show(_ satellites: [Satellite]) {
    stream.update { state in
      state.satellites = satellites
      return [ServerEvent("satellites", data: RecordBuffer.bytes { state.appendSatellites(to: &$0) })]
    }
  }

  /// Shows on which side of a fence the receiver is.
  public func show(_ state: RegionState, of region: CircularRegion) {
    changeFences { fences in
      for index in fences.indices where fences[index].region == region { fences[index].state = state }
    }
  }

  /// Applies a change that an event `status` reports.
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

extension MapState {
  /// The data of an event `location`.
  fileprivate func locationData(_ addition: TrailLine.Addition) -> [UInt8] {
    RecordBuffer.bytes { buffer in
      buffer.appendObject {
        if let location {
          $0.appendKey("location")
          NDJSONFormatter.appendObject(location, to: &$0)
        }
        if let trip {
          $0.appendKey("trip")
          trip.append(to: &$0)
        }
        if let stop {
          $0.appendKey("stop")
          stop.append(to: &$0)
        }
        $0.appendMember("fix", Fix.current.rawValue)
        $0.appendMember("age", 0.0)
        switch addition {
        case .leftOut: break
        case .added: $0.appendMember("trail", true)
        case .addedAfterBreak: $0.appendMember("trail", "break")
        }
      }
    }
  }
}

/// The trail of the user of a map, while it is an overlay of that map. It grows by itself.
public final class Trail: Polyline {
  private let stream: EventStream<MapState>

  init(_ stream: EventStream<MapState>) {
    self.stream = stream
    super.init(coordinates: [])
  }

  /// The kept points, without the gaps between them.
  public override var coordinates: [LocationCoordinate2D] { stream.value.trail.points.map(\.coordinate) }

  /// Calls `body` with the location of each kept point, and with `nil` for a gap.
  public func forEachLocation(_ body: (Location?) -> Void) {
    for point in stream.value.trail.points {
      if point.isAfterBreak { body(nil) }
      body(
        Location(
          coordinate: point.coordinate, altitude: point.altitude, speed: point.speed,
          timestamp: point.time.map { Date(timeIntervalSince1970: $0) }))
    }
  }

  /// The number of kept points.
  public override var pointCount: Int { stream.value.trail.points.count }
}
