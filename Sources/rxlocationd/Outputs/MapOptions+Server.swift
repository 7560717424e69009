import HTTP
import MapPage
import Output
import Platform
import Sockets

extension MapOptions {
  /// Serves the routes of a page. `help` is a hint for a page without a map, and `who` names the receiver or devices in
  /// messages.
  func serve(
    _ routes: [String: HTTPRoute], help: String?, on network: NetworkLoop, at address: Endpoint, showing who: String,
    onNotice: @escaping OutputNotice.Handler
  ) async throws(CommandError) -> HTTPServer {
    if let help { onNotice(OutputNotice(.warning, "map page: \(help)")) }
    let server = HTTPServer(on: network, hosts: HTTPHosts(of: address, and: names), routes: routes) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += " and see where \(who)" }
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, message))
    }
    let name = "map page \(address)"
    do throws(ListenError) {
      try await server.listen(on: address, name: name)
    } catch {
      throw CommandError(.cannotCreate, "\(name) \(error)")
    }
    return server
  }
}
