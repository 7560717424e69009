import HTTP
import MapPage
import Output
import Platform
import Sockets

extension MapOptions {
  /// Serves a page.
  ///
  /// - Parameters:
  ///   - routes: The page's routes.
  ///   - help: A hint for a page without a map.
  ///   - who: The name of the receiver or devices for messages.
  ///   - onNotice: Receives events of the listening socket, and the hint.
  /// - Throws: `CommandError` with status 73 when listening at the address fails.
  func serve(
    _ routes: [String: HTTPRoute], help: String?, on network: NetworkLoop, at address: Endpoint, showing who: String,
    onNotice: @escaping OutputNotice.Handler
  ) async throws(CommandError) -> HTTPServer {
    if let help { onNotice(OutputNotice(.warning, "map page: \(help)")) }
    let server = HTTPServer(on: network, hosts: HTTPHosts(of: address, and: names), routes: routes) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += ", and whoever does sees where \(who)" }
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
