import Foundation
import Synchronization

/// A second client of the same gpsd that keeps every line as it came: what a test compares with. Its own JSON reader,
/// its own thread, no libgps.
package final class RawClient: Sendable {
  private let socket: LoopbackSocket
  private let lines = Mutex<[String]>([])

  /// Connects, watches, and returns once gpsd has confirmed.
  package init(port: UInt16) throws {
    socket = try LoopbackSocket.client(port: port)
    socket.send("?WATCH={\"enable\":true,\"json\":true};\n")
    var received: [UInt8] = []
    while true {
      guard let bytes = socket.receive(), !bytes.isEmpty else { throw SupportError("gpsd did not confirm the watch") }
      received += bytes
      if String(decoding: received, as: UTF8.self).contains("\"class\":\"WATCH\"") { break }
    }
    Foundation.Thread.detachNewThread { [weak self, socket, received] in
      var partial = received
      while let bytes = socket.receive(within: 600), !bytes.isEmpty {
        partial += bytes
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: partial[..<end], as: UTF8.self)
          partial.removeSubrange(...end)
          guard let self else { return }
          self.lines.withLock { $0.append(line) }
        }
      }
    }
  }

  deinit { socket.close() }
  package var count: Int { lines.withLock(\.count) }

  package func reports(_ class: String) -> [[String: Any]] {
    lines.withLock { $0 }.compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }.filter { $0["class"] as? String == `class` }
  }
}
