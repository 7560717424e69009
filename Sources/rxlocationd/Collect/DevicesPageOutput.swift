import Devices
import FoundationEssentials
import HTTP
import Journal
import LocationKit
import MapPage
import Output
import Rx
import RxBinding
import RxLocation
import Sockets
import Tracks

/// The page of `collect`, with all devices on one map.
@MainActor
final class DevicesPageOutput: DaemonOutput {
  private let page: DevicesPage
  private let server: HTTPServer

  private init(_ page: DevicesPage, _ server: HTTPServer) { (self.page, self.server) = (page, server) }

  /// Serves the page if it is configured.
  static func open(_ options: CollectOptions, _ outputs: Outputs) async throws(CommandError) -> DevicesPageOutput? {
    guard let address = options.map.address else { return nil }
    var configuration = try options.map.devicesConfiguration()
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
    let server = try await options.map.serve(
      page.routes, help: page.help, on: network, at: address, showing: "the devices are",
      onNotice: outputs.onNotice)
    outputs.places.append("map \(server.url(at: address))")
    return DevicesPageOutput(page, server)
  }

  /// Shows each location, and each device's loss of its fix.
  func bind(locations: MainObservable<[Location]>, errors: MainObservable<LocationError>) -> any Disposable {
    let shown = locations.subscribe(onNext: { [page] locations in
      for location in locations {
        if let device = location.sourceInformation?.deviceIdentifier { page.show(location, of: device) }
      }
    })
    let lost = errors.subscribe(onNext: { [page] error in
      guard error.code == .locationUnknown, let device = error.deviceIdentifier else { return }
      page.show(.lost(FixLoss(.silence)), of: device)
    })
    return Disposables.create(shown, lost)
  }

  func show(name: String, of device: String) { page.show(name: name, of: device) }

  func show(battery: Int, of device: String) { page.show(battery: battery, of: device) }

  func show(_ state: RegionState, of fence: String, for device: String) { page.show(state, of: fence, for: device) }

  /// Shows the side of a fence on which a device was at its last crossing.
  func show(_ crossing: RegionCrossing) {
    guard let device = crossing.location.sourceInformation?.deviceIdentifier else { return }
    page.show(crossing.state, of: crossing.region.identifier, for: device)
  }

  func close() async { await server.shutdown() }
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
