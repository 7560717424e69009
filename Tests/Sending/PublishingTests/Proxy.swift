import Foundation
import Synchronization
import TestSupport

/// A way to a broker that can be cut without a word, that can hold up what the broker says, and that shows what passes.
final class Proxy: Sendable {
  private struct State {
    var sockets: [LoopbackSocket] = []
    var isHolding = false
    var delay: useconds_t = 0
    var old: Old?
    var refusals = 0
  }

  /// What a broker that does not know MQTT 5 does with one who speaks it.
  enum Old: Sendable {
    /// It says these bytes and closes.
    case says([UInt8])
    case isSilent
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  let port: UInt16
  private let shared = Shared()

  /// Gets bytes before they go on to the other side.
  typealias Watch = @Sendable (_ bytes: [UInt8], _ isFromClient: Bool) -> Void

  /// Opens the way.
  ///
  /// - Parameter makeWatch: Makes what watches a connection.
  init(to broker: UInt16, makeWatch: @escaping @Sendable () -> Watch = { { _, _ in } }) throws {
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
        if let old = shared.state.withLock(\.old) {
          let hello = client.receive() ?? []
          guard version(of: hello) < 5 else {
            shared.state.withLock { state in
              state.refusals += 1
              if case .isSilent = old { state.sockets.append(client) }
            }
            if case .says(let bytes) = old {
              client.send(bytes)
              client.close()
            }
            continue
          }
          server.send(hello)
        }
        shared.state.withLock { $0.sockets = [client, server] }
        let watch = makeWatch()
        Self.copy(client, server) { watch($0, true) }
        Self.copy(server, client) { [weak shared] bytes in
          watch(bytes, false)
          usleep(shared?.state.withLock(\.delay) ?? 0)
          // Without a deadline: the test decides when it goes on.
          while shared?.state.withLock(\.isHolding) ?? false { usleep(1000) }
        }
      }
    }
  }

  /// What the broker is like that does not know MQTT 5; `nil` for one that does.
  var old: Old? {
    get { shared.state.withLock(\.old) }
    set { shared.state.withLock { $0.old = newValue } }
  }

  /// How many connections were refused for their version.
  var refusals: Int { shared.state.withLock(\.refusals) }

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

  /// Ends the connection on both sides, after these bytes for the client.
  func cut(saying bytes: [UInt8] = []) {
    shared.state.withLock { state in
      if !bytes.isEmpty { state.sockets.first?.send(bytes) }
      for socket in state.sockets { socket.close() }
    }
  }

  private static func copy(
    _ from: LoopbackSocket, _ to: LoopbackSocket, _ pass: @escaping @Sendable ([UInt8]) -> Void
  ) {
    Foundation.Thread.detachNewThread {
      while let bytes = from.receive(within: 600), !bytes.isEmpty {
        pass(bytes)
        if !to.send(bytes) { break }
      }
      from.close()
      to.close()
    }
  }
}

/// The version of MQTT in a client's first message: it is behind the protocol's name.
func version(of hello: [UInt8]) -> UInt8 {
  guard let name = hello.firstIndex(of: UInt8(ascii: "M")), hello.count > name + 4 else { return 255 }
  return hello[name + 4]
}

/// What a broker says that lets a client in.
func acceptance(of hello: [UInt8]) -> [UInt8] {
  version(of: hello) < 5 ? [0x20, 0x02, 0x00, 0x00] : [0x20, 0x03, 0x00, 0x00, 0x00]
}
