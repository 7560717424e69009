import FoundationEssentials
import Serving
import LocationKit
import Records

/// A page that shows many devices on one map in a browser, live.
///
/// Changes of all devices within a second are sent as one event. Without an audience no event is made.
@MainActor
package final class DevicesPage {
  package struct Configuration: Sendable {
    package var version: String
    package var leafletFolder = "/usr/share/javascript/leaflet"
    package var tiles: MapTiles?
    /// The units of the figures; `nil` for those of the browser's country.
    package var units: MeasurementUnits?
    package var fences: [Region] = []
    /// Reads the newest locations of a device in a period, at most as many as the limit, the oldest first and `nil`
    /// for a gap. It is called on a thread that may wait, and ends early if `goesOn` returns false.
    package typealias History =
      @Sendable (
        _ device: String, _ since: Date?, _ until: Date?, _ limit: Int, _ goesOn: () -> Bool
      ) throws(MapHistoryError) -> [Location?]
    /// Reads the trails; `nil` for a page without trails.
    package var history: History?

    package init(version: String) { self.version = version }
  }

  package let routes: [String: HTTPRoute]
  /// The advice about missing files of Leaflet, in one sentence; `nil` if none is missing.
  package let help: String?
  private let stream: EventStream<DevicesState>
  private let clock: any LocationClock
  private var timer: LocationTimer?

  /// Creates a page and reads Leaflet's files.
  package init(on loop: NetworkLoop, _ configuration: Configuration, clock: any LocationClock = SystemClock()) {
    self.clock = clock
    let assets = MapAssets(.devices, leafletIn: configuration.leafletFolder)
    help = assets.help
    // Enough for a browser that was disconnected for some seconds while all devices moved.
    let stream = EventStream(
      on: loop, value: DevicesState(configuration, help: help), backlogBytes: 4 << 20
    ) { $0.json }
    self.stream = stream
    var routes: [String: HTTPRoute] = [
      "/events": stream.route,
      "/devices.json": .answer { _ in HTTPResponse(json: stream.valueForAudience().json + [10]) },
    ]
    if let history = configuration.history {
      routes["/trail.json"] = .computed { request in
        request.value(of: "since").flatMap { Date(timestamp: $0) }.map { Date.now.timeIntervalSince($0) } ?? .infinity
      } _: { request in
        DeviceTrail.response(to: request, by: history) { stream.value.contains($0) }
      }
    }
    self.routes = assets.routes(with: routes, configuration.tiles)
  }

  package func show(_ location: Location, of device: String) { change(device) { $0.apply(location) } }

  package func show(_ state: FixState, of device: String) { change(device) { $0.apply(state) } }

  package func show(_ state: RegionState, of fence: String, for device: String) {
    change(device) { device in
      device.fences.removeAll { $0 == fence }
      if state == .inside { device.fences.append(fence) }
    }
  }

  package func show(battery: Int, of device: String) { change(device) { $0.battery = battery } }

  package func show(name: String?, of device: String) { change(device) { $0.name = name } }

  /// Shows why nothing is received, and since when; `nil` ends that.
  package func show(outage: (reason: String, since: Date)?) {
    stream.update { state in
      guard state.outage?.reason != outage?.reason || state.outage?.since != outage?.since else { return [] }
      state.outage = outage
      return [ServerEvent("status", data: RecordBuffer.bytes { $0.appendObject { state.appendOutage(to: &$0) } })]
    }
  }

  private func change(_ device: String, _ change: (inout DevicesState.Device) -> Void) {
    var hasChanges = false
    stream.update { state, hasAudience in
      state.change(device, isFollowed: hasAudience, change)
      hasChanges = state.hasChanges
      return []
    }
    if hasChanges { sendInASecond() }
  }

  private func sendInASecond() {
    guard timer == nil else { return }
    timer = clock.schedule(after: 1) { [weak self] in self?.send() }
  }

  private func send() {
    timer = nil
    var isMore = false
    stream.update { state in
      let changes = state.removeChanges()
      isMore = state.hasChanges
      return [ServerEvent("devices", data: changes)]
    }
    if isMore { sendInASecond() }
  }
}

/// The trail of one device, thinned for a map that shows several.
enum DeviceTrail {
  /// The greatest number of locations that are read for a trail, and of points that it shows.
  static let (readLimit, pointLimit) = (20_000, 2000)

  /// The answer to `/trail.json?device=ID&since=TIME&until=TIME`: `[[latitude, longitude, speed, time, altitude], null, …]`.
  /// The field `X-Newest` has the number of locations if the period may have had more.
  static func response(
    to request: HTTPRequest, by history: DevicesPage.Configuration.History, isKnown: (String) -> Bool
  ) -> HTTPResponse {
    MapHistoryError.response { () throws(MapHistoryError) in
      guard let device = request.value(of: "device") else {
        throw MapHistoryError("device: expected the identifier of a device", status: 400)
      }
      let (since, until) = (try request.time("since"), try request.time("until"))
      guard isKnown(device) else { throw MapHistoryError("device: no such device", status: 404) }
      var line = TrailLine(limit: pointLimit, duration: .infinity)
      let locations = try history(device, since, until, readLimit, { !request.hasLeft })
      for location in locations {
        if let location { line.append(location) } else { line.interrupt() }
      }
      var response = HTTPResponse(
        json: RecordBuffer.bytes(capacity: 64 + 64 * line.points.count) { $0.appendTrail(line.points) })
      if locations.count >= readLimit { response.fields.append(("X-Newest", "\(readLimit)")) }
      return response
    }
  }
}
