import Foundation
import TestSupport
import Testing

extension FlagTests {
  /// A broker that wants a certificate and a password of its clients, and what a client says to it. The settings name the files.
  static func strictBroker(_ place: Place) throws -> (broker: RealBroker, options: [String]) {
    let certificates = try Certificates(in: place.folder)
    for name in ["broker", "me"] { try certificates.issue(name) }
    try RealBroker.addUser("ann", password: "secret", in: place.folder)
    try place.folder.write("secret\nnot this\n", to: "password")
    let listener = ["password_file FOLDER/users", "require_certificate true"] + RealBroker.tls("broker")
    let broker = try RealBroker(listener: listener, folder: place.folder, port: place.port)
    let files = ["--cafile", place.path("ca.pem"), "--cert", place.path("me.pem"), "--key", place.path("me.key")]
    return (broker, files + ["-u", "ann", "-P", "secret"])
  }

  /// A file with the secret of the messages.
  static func encryptionKey(_ place: Place) throws -> String {
    let path = try place.folder.write("secret\nnot this\n", to: "key")
    #expect(chmod(path, 0o600) == 0)
    return path
  }

  static let ofPublishing: [Row] = [
    Row(
      "publish-user ann", "publish-password-file FOLDER/password", "publish-ca FOLDER/ca.pem",
      "publish-certificate FOLDER/me.pem", "publish-key FOLDER/me.key", "publish-client-id the-car",
      "publish-interval 60", "publish-tid ab", "publish-card-name Ann's car", "publish-card-picture FOLDER/ann.png",
      over: "publish-user bob", "publish-password-file FOLDER/other", "publish-ca FOLDER/other.pem",
      "publish-certificate FOLDER/other.pem", "publish-key FOLDER/other.key", "publish-client-id other",
      "publish-interval 1", "publish-tid cd", "publish-card-name Bob", "publish-card-picture FOLDER/bob.png"
    ) { arguments, place in
      let (broker, options) = try strictBroker(place)
      let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0])
      try picture.write(to: URL(fileURLWithPath: place.path("ann.png")))
      let address = "mqtts://localhost:\(place.port)"
      let messages = try await published(arguments, place, to: broker, at: address, options: options)
      #expect(broker.log.contains("as the-car "))
      let card = messages.first { $0.topic.hasSuffix("/info") }?.json
      #expect(card?["_type"] as? String == "card")
      #expect(card?["name"] as? String == "Ann's car")
      #expect(card?["face"] as? String == picture.base64EncodedString())
      let locations = messages.filter { !$0.topic.hasSuffix("/info") }
      #expect(locations.allSatisfy { $0.topic.hasPrefix("owntracks/ann/") && $0.json["tid"] as? String == "ab" })
      // The last one of each minute, and the last one of all.
      let times = locations.compactMap { $0.json["tst"] as? Int }
      #expect(times == [40, 100, 160, 220, 280, 340, 380].map { 1_738_411_200 + $0 })
    },
    Row("publish-heartbeat 0.2", over: "publish-heartbeat 3600") { arguments, place in
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let subscriber = try BrokerSubscriber(broker, "owntracks/#")
      try await place.live(arguments + ["--publish", "mqtt://127.0.0.1:\(place.port)"]) { process in
        try await process.wait(for: "a heartbeat") {
          subscriber.messages.contains { !$0.isRetained && $0.json["t"] as? String == "p" }
        }
      }
    },
    Row("publish-encryption-key FOLDER/key", over: "publish-encryption-key FOLDER/other") { arguments, place in
      _ = try encryptionKey(place)
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let address = "mqtt://127.0.0.1:\(place.port)"
      let messages = try await published(arguments, place, to: broker, at: address, last: #""_type":"encrypted""#)
      #expect(messages.allSatisfy { $0.json["_type"] as? String == "encrypted" })
    },
  ]

  /// What a broker has after a replay of twenty fixes, twenty seconds apart.
  private static func published(
    _ arguments: [String], _ place: Place, to broker: RealBroker, at address: String, options: [String] = [],
    last: String = "\"tst\":1738411580"
  ) async throws -> [BrokerSubscriber.Message] {
    let subscriber = try BrokerSubscriber(broker, "#", options: options)
    let recording = try place.folder.write((0..<20).map { NMEA.epoch(20 * $0) }.joined(), to: "short.nmea")
    try await DaemonProcess.run(
      ["replay", recording, "--speed", "max"] + arguments + ["--publish", address], status: 0)
    // The replay ends when the last one is acknowledged, and that one is retained.
    #expect(await eventually { subscriber.contains(last) })
    return subscriber.messages
  }
}
