public import FoundationEssentials
public import HTTP
public import LocationKit
import Records
public import Sockets

/// A page that shows many devices on one map in a browser, live.
///
/// What devices do within a second is one event for all of them, and nothing is gathered while nobody looks.
@MainActor
public final class DevicesPage {
  /// What a page is made with.
  public struct Configuration: Sendable {
    /// The program's version.
    public var version: String
    /// The folder of Leaflet's files.
    public var leafletFolder = "/usr/share/javascript/leaflet"
    /// What lies under the map; nothing unless it is named.
    public var tiles: MapTiles?
    /// The units of what is shown; `nil` for those of the browser's country.
    public var units: MeasurementUnits?
    /// Circles on the map.
    public var fences: [CircularRegion] = []
    /// Reads the newest locations of a device since a time, as many as the limit at most, the oldest first and `nil` for a
    /// gap, on a thread that may wait, and ends early when `goesOn` returns false.
    public typealias History =
      @Sendable (
        _ device: String, _ since: Date?, _ limit: Int, _ goesOn: () -> Bool
      ) throws(MapHistoryError) -> [Location?]
    /// What trails are read with; `nil` for a page without trails.
    public var history: History?

    /// Creates a configuration.
    public init(version: String) {
      self.version = version
    }
  }

  /// What to serve.
  public let routes: [String: HTTPRoute]
  /// What to do about Leaflet, in one sentence; `nil` when it is there.
  public let help: String?
  private let stream: EventStream<DevicesState>
  private let clock: any LocationClock
  /// Runs while there is something to tell.
  private var timer: LocationTimer?

  /// Creates a page and reads Leaflet's files.
  ///
  /// - Parameter clock: What a second is measured by.
  public init(on loop: NetworkLoop, _ configuration: Configuration, clock: any LocationClock = SystemClock()) {
    self.clock = clock
    let fields = PageFields.fields(configuration.tiles)
    let assets = MapAssets(.devices, leafletIn: configuration.leafletFolder, fields: fields)
    help = assets.help
    // Enough for a browser that was away for some seconds while all devices moved.
    let stream = EventStream(
      on: loop, value: DevicesState(configuration, help: help), backlogBytes: 4 << 20, fields: fields
    ) { $0.json }
    self.stream = stream
    var routes = assets.routes
    if let tiles = configuration.tiles { routes.merge(tiles.routes(fields)) { own, _ in own } }
    routes["/events"] = stream.route
    routes["/devices.json"] = .answer(
      PageFields.document(fields) { _ in HTTPResponse(json: stream.valueForAudience().json + [10]) })
    if let history = configuration.history {
      routes["/trail.json"] = .computed(
        weight: { request in
          request.value(of: "since").flatMap { Date(timestamp: $0) }.map { Date.now.timeIntervalSince($0) } ?? .infinity
        },
        PageFields.document(fields) { request in
          DeviceTrail.response(to: request, by: history) { stream.value.contains($0) }
        })
    }
    self.routes = routes
  }

  /// Shows the newest location of a device.
  public func show(_ location: Location, of device: String) {
    change(device) { $0.take(location) }
  }

  /// Shows whether a device has a fix.
  public func show(_ state: FixState, of device: String) {
    change(device) { $0.take(state) }
  }

  /// Shows what a person calls a device; `nil` for nothing but its identifier.
  public func show(name: String?, of device: String) {
    change(device) { $0.name = name }
  }

  private func change(_ device: String, _ change: (inout DevicesState.Device) -> Void) {
    var hasChanges = false
    stream.update { state, hasAudience in
      state.change(device, isFollowed: hasAudience, change)
      hasChanges = state.hasChanges
      return []
    }
    if hasChanges { tellInASecond() }
  }

  private func tellInASecond() {
    guard timer == nil else { return }
    timer = clock.schedule(after: 1) { [weak self] in self?.tell() }
  }

  private func tell() {
    timer = nil
    var isMore = false
    stream.update { state in
      let changes = state.takeChanges()
      isMore = state.hasChanges
      return [ServerEvent("devices", data: changes)]
    }
    if isMore { tellInASecond() }
  }
}
