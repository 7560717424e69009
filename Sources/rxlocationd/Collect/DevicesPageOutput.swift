import FoundationEssentials
import Serving
import Journal
import LocationKit
import MapPage
import Writing
import Tracks

@MainActor
final class DevicesPageOutput: DaemonOutput {
  private let page: DevicesPage
  private let server: HTTPServer
  private let mailbox: MainActorMailbox<(device: String, change: Fleet.Change)>

  init?(_ options: CollectSettings, _ outputs: Outputs) async throws(CommandError) {
    guard let address = options.map.address else { return nil }
    var configuration = DevicesPage.Configuration(version: RxLocationD.version)
    if let assets = options.map.assets { configuration.leafletFolder = assets }
    configuration.tiles = try options.map.openTiles(outputs.onNotice)
    configuration.fences = options.fences
    if let place = options.journal {
      let database = options.database
      configuration.history = { device, since, until, limit, goesOn throws(MapHistoryError) in
        do throws(JournalError) {
          return try database.history(at: place).trail(
            of: device, since: since, until: until, limit: limit, while: goesOn)
        } catch {
          throw MapHistoryError(error.message)
        }
      }
    }
    let network = try outputs.networkLoop()
    let page = DevicesPage(on: network, configuration)
    self.page = page
    mailbox = MainActorMailbox { Self.show($0, on: page) }
    server = try await options.map.serve(
      page.routes, help: page.help, on: network, at: address, showing: "the devices are",
      onNotice: outputs.onNotice)
    outputs.places.append("map \(server.url(at: address))")
  }

  /// Shows changes of devices. For one thread that may block, other than the main thread.
  var changes: @Sendable ([(device: String, change: Fleet.Change)]) -> Void { { [mailbox] in mailbox.send($0) } }

  func show(_ outage: OutputOutage?) { page.show(outage: outage.map { ($0.reason, $0.since) }) }

  private static func show(_ changes: [(device: String, change: Fleet.Change)], on page: DevicesPage) {
    for (device, change) in changes {
      switch change {
      case .location(let location): page.show(location, of: device)
      case .loss: page.show(.lost(FixLoss(.silence)), of: device)
      case .side(let state, let fence): page.show(state, of: fence, for: device)
      case .name(let name): page.show(name: name, of: device)
      case .battery(let battery): page.show(battery: battery, of: device)
      }
    }
  }

  func close() async {
    mailbox.close()
    await server.shutdown()
  }
}

extension DeviceHistory {
  /// The newest locations of a device in a period, oldest first, at most `limit`, with `nil` for a gap.
  func trail(
    of device: String, since: Date?, until: Date? = nil, limit: Int, while goesOn: () -> Bool
  ) throws(JournalError) -> [Location?] {
    var found: [Location?] = []
    var gaps = GapFinder()
    func receive(_ event: TrackEvent) {
      if case .fix(let location) = event { found.append(location) } else { found.append(nil) }
      // Old locations are removed in blocks, which is cheaper.
      if found.count >= 2 * limit { found.removeFirst(found.count - limit) }
    }
    try forEachLocation(of: device, since: since, until: until, onUnusable: { _ in }) { location in
      gaps.add(.fix(location), receive)
      return goesOn()
    }
    gaps.finish(receive)
    return Array(found.suffix(limit))
  }
}
