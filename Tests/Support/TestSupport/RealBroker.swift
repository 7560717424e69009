import Foundation
import Glibc

/// A real mosquitto on a port of loopback, with a configuration of its own. Killed when released.
///
/// Blocking; every wait has a deadline.
package final class RealBroker {
  package static let path: String? = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first {
    access($0, X_OK) == 0
  }

  package let port: UInt16
  package let folder: TemporaryFolder
  private var program: BackgroundProgram?

  /// Starts a broker that keeps what it was given on disk, and waits until it listens.
  ///
  /// - Parameters:
  ///   - listener: Lines for its listener, such as certificates; FOLDER stands for the folder.
  ///   - port: Where it listens; a free one by itself.
  package init(
    listener: [String] = ["allow_anonymous true"], folder: TemporaryFolder? = nil, port: UInt16? = nil
  ) throws {
    self.port = port ?? LoopbackSocket.unusedPort()
    self.folder = folder ?? TemporaryFolder()
    let lines =
      [
        "listener \(self.port) 127.0.0.1", "persistence true", "persistence_location \(self.folder.path)/",
        "autosave_interval 1", "autosave_on_changes true", "max_queued_messages 0", "max_inflight_messages 0",
        "user root", "log_type all",
      ] + listener.map { $0.replacing("FOLDER", with: self.folder.path) }
    try self.folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
    try start()
  }

  deinit { kill() }

  package func start() throws {
    guard let path = Self.path else {
      throw SupportError("there is no mosquitto; Scripts/bootstrap --tests installs it")
    }
    program = try BackgroundProgram([path, "-c", folder.file("mosquitto.conf")], output: folder.file("log"))
    let listens = eventuallyBlocking(within: 120) { (try? LoopbackSocket.client(port: port)) != nil }
    guard listens else { throw SupportError("mosquitto did not listen: \(log)") }
  }

  /// Lines for a listener that speaks TLS with the certificate NAME.pem in its folder.
  package static func tls(_ name: String) -> [String] {
    ["cafile FOLDER/ca.pem", "certfile FOLDER/\(name).pem", "keyfile FOLDER/\(name).key"]
  }

  /// Makes the file "users" in the folder, with one user, in place of the one before.
  package static func addUser(_ name: String, password: String, in folder: TemporaryFolder) throws {
    // mosquitto 2.1 refuses a file that exists.
    unlink(folder.file("users"))
    try runProgram(
      ["/usr/bin/mosquitto_passwd", "-c", "-b", folder.file("users"), name, password], output: folder.file("passwd.log")
    )
  }

  /// Publishes a message with quality of service 1, and returns when the broker has it.
  package func publish(_ payload: String, on topic: String, isRetained: Bool = false, options: [String] = []) throws {
    try runProgram(
      [
        "/usr/bin/mosquitto_pub", "-h", options.isEmpty ? "127.0.0.1" : "localhost", "-p", "\(port)", "-q", "1", "-t",
        topic, "-m", payload,
      ] + (isRetained ? ["-r"] : []) + options, output: folder.file("publish.log"))
  }

  /// Publishes each line as a message with quality of service 1, and returns when the broker has them.
  package func publish(lines: [String], on topic: String) throws {
    // Not by mosquitto_pub, whose version 2.1.2 sometimes leaves the last lines out. This is MQTT 3.1.1.
    let socket = try LoopbackSocket.client(port: port)
    var bytes: [UInt8] = [0x10, 12, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 0]
    for (index, line) in lines.enumerated() {
      let identifier = [UInt8(index / 255), UInt8(1 + index % 255)]
      let body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + identifier + Array(line.utf8)
      bytes.append(0x32)
      var length = body.count
      repeat {
        bytes.append(UInt8(length % 128) | (length > 127 ? 0x80 : 0))
        length /= 128
      } while length > 0
      bytes += body
    }
    socket.send(bytes)
    // The answer to the first packet and each acknowledgement have four bytes.
    var missing = 4 + 4 * lines.count
    while missing > 0 {
      guard let answer = socket.receive(), !answer.isEmpty else { throw SupportError("the broker ends the connection") }
      missing -= answer.count
    }
    socket.send([0xE0, 0])
  }

  package var log: String { contents(folder.file("log")) }
  package func signal(_ number: Int32) { program?.signal(number) }
  package func kill(_ number: Int32 = SIGKILL) { program?.end(number) }
}

/// Runs mosquitto_sub and keeps what it prints: the topic, whether the message was retained, and the payload of each.
package final class BrokerSubscriber {
  package struct Message: Sendable, Hashable {
    package var topic: String
    /// Whether the broker had kept it from before.
    package var isRetained: Bool
    package var payload: String

    package var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]) ?? [:]
    }
  }

  private let program: BackgroundProgram
  private let file: String

  /// Subscribes to `topic` with quality of service 1, and returns when the broker has confirmed it.
  ///
  /// - Parameters:
  ///   - session: The name of a session that the broker keeps while this client is away; `nil` for none.
  package init(_ broker: RealBroker, _ topic: String, session: String? = nil, options: [String] = []) throws {
    file = broker.folder.file("subscriber-\(UUID().uuidString.prefix(8))")
    let confirmation = "Sending SUBACK"
    let earlier = broker.log.components(separatedBy: confirmation).count
    let keeping = session.map { ["-c", "-i", $0] } ?? []
    program = try BackgroundProgram(
      ["/usr/bin/mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", topic, "-F", "%t %r %p"]
        + keeping + options, output: file)
    let isConfirmed = eventuallyBlocking { broker.log.components(separatedBy: confirmation).count > earlier }
    guard isConfirmed else { throw SupportError("no subscription: \(broker.log)") }
  }

  package func contains(_ text: String) -> Bool {
    (FileManager.default.contents(atPath: file) ?? Data()).range(of: Data(text.utf8)) != nil
  }

  package var messages: [Message] {
    contents(file).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2)
      return words.count == 3
        ? Message(topic: String(words[0]), isRetained: words[1] == "1", payload: String(words[2])) : nil
    }
  }
}
