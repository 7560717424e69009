import Serving
import Logging
import LocationKit
import MapPage
import Writing
import Platform
import TrackDocuments
import UnixSignals

/// The map page of `track`: it shows that the track is being read, then the track, until the program ends.
@MainActor
final class TrackServer {
  private let page: MapPage
  private let network: NetworkLoop
  private let server: HTTPServer
  private let address: Endpoint

  private init(_ page: MapPage, _ network: NetworkLoop, _ server: HTTPServer, _ address: Endpoint) {
    (self.page, self.network, self.server, self.address) = (page, network, server, address)
  }

  /// Starts the server if an address is given. `units` are those of the statistics.
  static func start(
    _ options: MapOptions, name: String, units: MeasurementUnits
  ) async throws(CommandError) -> TrackServer? {
    guard let address = options.address else { return nil }
    let logger = Logger.standardError(.info)
    let onNotice: OutputNotice.Handler = { logger.log(level: $0.severity.level, "\($0.message)") }
    var configuration = try options.configuration(source: name, kind: .track, onNotice: onNotice)
    configuration.units = units
    let network = try NetworkLoop.start()
    let page = MapPage(on: network, configuration)
    page.show(reading: "reading \(name)")
    do throws(CommandError) {
      let server = try await options.serve(
        page.routes, help: page.help, on: network, at: address, showing: "the track is", onNotice: onNotice)
      return TrackServer(page, network, server, address)
    } catch {
      await network.shutdown()
      throw error
    }
  }

  /// Shows the track until SIGINT or SIGTERM.
  func show(_ recording: MapRecording) async {
    page.show(recording)
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    // The sequence does not contain a signal that came before.
    guard EarlySignals.interrupt == nil else { return }
    StandardError.write(line: "rxlocationd: \(server.url(at: address)) shows it until Ctrl-C")
    for await _ in signals { break }
  }

  func shutdown() async {
    await server.shutdown()
    await network.shutdown()
  }
}
