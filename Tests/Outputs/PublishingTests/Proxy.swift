import Foundation
import Synchronization
import TestSupport

/// A way to a broker that can be cut without a word, and that can hold up what the broker says.
final class Proxy: Sendable {
  private struct State {
    var sockets: [LoopbackSocket] = []
    var isHolding = false
    var delay: useconds_t = 0
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  let port: UInt16
  private let shared = Shared()

  init(to broker: UInt16) throws {
    let listener = try LoopbackSocket.listener()
    port = listener.port
    Foundation.Thread.detachNewThread { [weak shared] in
      while shared != nil {
        guard let client = try? listener.accept(within: 0.1) else { continue }
        guard let server = try? LoopbackSocket.client(port: broker) else {
          client.close()
          continue
        }
        guard let shared else { return }
        shared.state.withLock { $0.sockets = [client, server] }
        Self.copy(client, server) {}
        Self.copy(server, client) { [weak shared] in
          usleep(shared?.state.withLock(\.delay) ?? 0)
          while shared?.state.withLock(\.isHolding) ?? false { usleep(1000) }
        }
      }
    }
  }

  /// Whether nothing reaches the client at the moment.
  var isHolding: Bool {
    get { shared.state.withLock(\.isHolding) }
    set { shared.state.withLock { $0.isHolding = newValue } }
  }

  /// By how many microseconds everything is late that the broker says.
  var delay: useconds_t {
    get { shared.state.withLock(\.delay) }
    set { shared.state.withLock { $0.delay = newValue } }
  }

  /// Ends the connection on both sides.
  func cut() {
    shared.state.withLock { state in
      for socket in state.sockets { socket.close() }
    }
  }

  private static func copy(_ from: LoopbackSocket, _ to: LoopbackSocket, hold: @escaping @Sendable () -> Void) {
    Foundation.Thread.detachNewThread {
      while let bytes = from.receive(within: 600), !bytes.isEmpty {
        hold()
        if !to.send(bytes) { break }
      }
      from.close()
      to.close()
    }
  }
}
