import Platform
import Serving
import Writing

extension HTTPServer {
  /// Serves routes at an address. `exposing` ends the warning that other machines can reach it.
  static func start(
    _ name: String, _ routes: [String: HTTPRoute], hosts: HTTPHosts = .any, on network: NetworkLoop,
    at address: Endpoint, exposing: String = "", onNotice: @escaping OutputNotice.Handler
  ) async throws(CommandError) -> HTTPServer {
    let name = "\(name) \(address)"
    let server = HTTPServer(on: network, hosts: hosts, routes: routes) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += exposing }
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, message))
    }
    do throws(ListenError) {
      try await server.listen(on: address, name: name)
    } catch {
      throw CommandError(.cannotCreate, "\(name) \(error)")
    }
    return server
  }

  /// The URL of a server that listens at this address, for a browser on this host.
  func url(at address: Endpoint) -> String {
    let host = ["*", "0.0.0.0", "::"].contains(address.host) ? "localhost" : address.host
    return "http://\(Endpoint(host: host, port: ports.first.map(UInt16.init) ?? address.port))/"
  }
}
