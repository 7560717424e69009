import NIOCore
import NIOHTTP1

/// All connections of a server, and what they have in common. Confined to the event loop.
final class HTTPConnections {
  let limits: HTTPServer.Limits
  let hosts: HTTPHosts
  private let routes: [String: HTTPRoute]
  private var channels: [ObjectIdentifier: any Channel] = [:]
  private var streams = 0
  /// Connections beyond the limit, which are told so.
  private var refused = 0

  init(limits: HTTPServer.Limits, hosts: HTTPHosts, routes: [String: HTTPRoute]) {
    self.limits = limits
    self.hosts = hosts
    self.routes = routes
  }

  /// Takes a connection up. One beyond the limit is there to be told so; `nil` when too many of those wait as well.
  func add(_ channel: any Channel) -> HTTPConnection? {
    let isRefused = channels.count - streams - refused >= limits.connections
    guard !isRefused || refused < limits.connections else { return nil }
    if isRefused { refused += 1 }
    let key = ObjectIdentifier(channel)
    channels[key] = channel
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
      channels[key] = nil
      if isRefused { refused -= 1 }
    }
    return HTTPConnection(self, isRefused: isRefused)
  }

  /// Counts a connection among the streams until it is closed; returns whether there is room.
  func beginStream(on channel: any Channel) -> Bool {
    guard streams < limits.streams else { return false }
    streams += 1
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in streams -= 1 }
    return true
  }

  func closeAll() {
    for channel in channels.values { channel.close(promise: nil) }
  }

  /// What a path answers: its own route, or that of the nearest folder above it.
  func route(_ path: String) -> HTTPRoute? {
    if let route = routes[path] { return route }
    var folder = path[...]
    while let slash = folder.dropLast().lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[...slash]
      if let route = routes[String(folder)] { return route }
    }
    return nil
  }

  /// The paths, for a person who has asked for another one.
  var paths: String { routes.keys.sorted().joined(separator: ", ") }
}
