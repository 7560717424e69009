import Foundation
import TestSupport

/// Reads lines from a region or location socket.
final class SocketReader {
  /// Seconds that a daemon has to start on a busy machine.
  private static let patience = 120.0
  private let descriptor: Int32
  private var buffer = Data()

  /// Connects. It tries again while no process listens at the path.
  init(unix path: String) async throws {
    var connected: Int32 = -1
    _ = await eventually(within: Self.patience) {
      connected = unixSocket(path, connect)
      return connected >= 0
    }
    guard connected >= 0 else { throw DaemonProcess.TimedOut(description: "no process listens at \(path)") }
    descriptor = connected
  }

  deinit { close(descriptor) }

  /// Sends a text, as far as the other end takes it.
  func write(_ text: String) { _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }

  /// Whether the other end has closed the connection; reads what has come.
  var hasEnded: Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count == 0 || errno != EAGAIN }
      buffer.append(contentsOf: bytes.prefix(count))
    }
  }

  func lines(atLeast count: Int) async throws -> [String] { try await lines { $0.count >= count } }

  func lines(until condition: ([String]) -> Bool) async throws -> [String] {
    var lines: [String] = []
    let arrived = await eventually(within: Self.patience) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let read = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if read > 0 { buffer.append(contentsOf: bytes.prefix(read)) }
      let whole = buffer.prefix(upTo: buffer.lastIndex(of: UInt8(ascii: "\n")) ?? buffer.startIndex)
      lines = String(decoding: whole, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
      return condition(lines)
    }
    guard arrived else { throw DaemonProcess.TimedOut(description: "only \(lines.count) regions") }
    return lines
  }
}
