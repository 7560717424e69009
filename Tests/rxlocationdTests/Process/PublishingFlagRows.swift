import Foundation
import TestSupport
import Testing

extension FlagTests {
  /// The settings of the publisher, each with a broker of its own.
  static let ofPublishing: [Row] = [
    Row("publish-user", "ann", over: "bob") { arguments, place in
      let messages = try await published(arguments, place)
      #expect(messages.first?.topic.hasPrefix("owntracks/ann/") == true)
    },
    Row("publish-password-file", "FOLDER/password", over: "FOLDER/other") { arguments, place in
      try RealBroker.addUser("ann", password: "secret", in: place.folder)
      try place.folder.write("secret\nnot this\n", to: "password")
      let messages = try await published(
        arguments + ["--publish-user", "ann"], place, listener: ["password_file FOLDER/users"],
        options: ["-u", "ann", "-P", "secret"])
      #expect(!messages.isEmpty)
    },
    Row("publish-ca", "FOLDER/ca.pem", over: "FOLDER/other.pem") { arguments, place in
      try Certificates(in: place.folder).issue("broker")
      let messages = try await published(
        arguments, place, adding: ["--publish", "mqtts://localhost:\(place.port)"],
        listener: ["allow_anonymous true"] + RealBroker.tls("broker"), options: ["--cafile", place.path("ca.pem")])
      #expect(!messages.isEmpty)
    },
    Row("publish-certificate", "FOLDER/me.pem", over: "FOLDER/other.pem") { arguments, place in
      try await withClientCertificate(arguments, place, ["--publish-key", place.path("me.key")])
    },
    Row("publish-key", "FOLDER/me.key", over: "FOLDER/other.key") { arguments, place in
      try await withClientCertificate(arguments, place, ["--publish-certificate", place.path("me.pem")])
    },
    Row("publish-client-id", "the-car", over: "other") { arguments, place in
      _ = try await published(arguments, place)
      #expect(try String(contentsOfFile: place.path("log"), encoding: .utf8).contains("as the-car "))
    },
    Row("publish-interval", "60", over: "1") { arguments, place in
      // The last one of each minute, and the last one of all.
      let times = try await published(arguments, place).compactMap { $0.json["tst"] as? Int }
      #expect(times == [40, 100, 160, 220, 280, 340, 380].map { 1_738_411_200 + $0 })
    },
    Row("publish-heartbeat", "0.2", over: "3600") { arguments, place in
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let subscriber = try BrokerSubscriber(broker, "owntracks/#")
      try await live(arguments + ["--publish", "mqtt://127.0.0.1:\(place.port)"]) { process in
        try await process.wait(for: "a heartbeat") {
          subscriber.messages.contains { !$0.isRetained && $0.json["t"] as? String == "p" }
        }
      }
    },
    Row("publish-tid", "ab", over: "cd") { arguments, place in
      let messages = try await published(arguments, place)
      #expect(messages.allSatisfy { $0.json["tid"] as? String == "ab" })
    },
    Row("publish-encryption-key", "FOLDER/key", over: "FOLDER/other") { arguments, place in
      let path = try place.folder.write("secret\nnot this\n", to: "key")
      #expect(chmod(path, 0o600) == 0)
      let messages = try await published(arguments, place, last: #""_type":"encrypted""#)
      #expect(messages.allSatisfy { $0.json["_type"] as? String == "encrypted" })
    },
    Row("publish-card-name", "Ann's car", over: "Bob") { arguments, place in
      let messages = try await published(arguments, place)
      #expect(messages.first { $0.topic.hasSuffix("/info") }?.json["name"] as? String == "Ann's car")
    },
    Row("publish-card-picture", "FOLDER/ann.png", over: "FOLDER/bob.png") { arguments, place in
      let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])
      try picture.write(to: URL(fileURLWithPath: place.path("ann.png")))
      let messages = try await published(arguments, place)
      let card = messages.first { $0.topic.hasSuffix("/info") }?.json
      #expect(card?["_type"] as? String == "card")
      #expect(card?["face"] as? String == picture.base64EncodedString())
    },
  ]

  /// What a broker at the place's port has after a replay of twenty fixes, twenty seconds apart.
  static func published(
    _ arguments: [String], _ place: Place, adding: [String]? = nil, listener: [String] = ["allow_anonymous true"],
    options: [String] = [], last: String = "\"tst\":1738411580"
  ) async throws -> [BrokerSubscriber.Message] {
    let broker = try RealBroker(listener: listener, folder: place.folder, port: place.port)
    let subscriber = try BrokerSubscriber(broker, "#", options: options)
    let recording = try place.folder.write((0..<20).map { NMEA.epoch(20 * $0) }.joined(), to: "short.nmea")
    let result = try await DaemonProcess.run(
      ["replay", recording, "--speed", "max"] + arguments
        + (adding ?? ["--publish", "mqtt://127.0.0.1:\(place.port)"]))
    #expect(result.status == 0, "\(result.messages)")
    // The replay ends when the last one is acknowledged, and that one is retained.
    #expect(await eventually { subscriber.contains(last) })
    return subscriber.messages
  }

  private static func withClientCertificate(_ arguments: [String], _ place: Place, _ other: [String]) async throws {
    let certificates = try Certificates(in: place.folder)
    for name in ["broker", "me"] { try certificates.issue(name) }
    let messages = try await published(
      arguments + other + ["--publish-ca", place.path("ca.pem")], place,
      adding: ["--publish", "mqtts://localhost:\(place.port)"],
      listener: ["require_certificate true", "use_identity_as_username true"] + RealBroker.tls("broker"),
      options: ["--cafile", place.path("ca.pem"), "--cert", place.path("me.pem"), "--key", place.path("me.key")])
    #expect(!messages.isEmpty)
  }
}
