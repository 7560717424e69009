import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

extension FlagTests {
  /// The settings of `collect` that no other command has, each with a broker of its own.
  static let ofCollect: [Row] = [
    Row("topic", "fleet/+", over: "other/+") { arguments, place in
      try await collected(arguments, place, topic: "fleet/van", device: "van")
    },
    Row("share", "us", over: "them") { arguments, place in
      let broker = try await collected(arguments, place)
      #expect(broker.log.contains("$share/us/owntracks/+/+"))
    },
    Row("device-limit", "2", over: "9") { arguments, place in
      let broker = try RealBroker(folder: place.folder, port: place.port)
      try await collecting(arguments + ["--subscribe", "mqtt://127.0.0.1:\(place.port)"], broker) { process in
        for second in 0..<4 {
          try broker.publish(
            #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + second)}"#, on: "owntracks/ann/car")
        }
        try broker.publish(
          #"{"_type":"location","lat":49,"lon":11,"tst":1750000000}"#, on: "owntracks/ben/boat")
        try await process.wait(for: "the other device") { process.output.contains("ben/boat") }
        #expect(process.output.count { $0 == "\n" } == 3, "\(process.output)")
        try await process.wait(toSay: "ann/car has sent more than 2 messages within an hour")
      }
    },
    Row("subscribe-user", "ann", over: "bob") { arguments, place in
      let broker = try await collected(arguments, place)
      #expect(broker.log.contains("u'ann'"))
    },
    Row("subscribe-password-file", "FOLDER/password", over: "FOLDER/other") { arguments, place in
      try RealBroker.addUser("ann", password: "secret", in: place.folder)
      try place.folder.write("secret\nnot this\n", to: "password")
      try await collected(
        arguments + ["--subscribe-user", "ann"], place, listener: ["password_file FOLDER/users"],
        options: ["-u", "ann", "-P", "secret"])
    },
    Row("subscribe-ca", "FOLDER/ca.pem", over: "FOLDER/other.pem") { arguments, place in
      try Certificates(in: place.folder).issue("broker")
      try await collected(
        arguments, place, adding: ["--subscribe", "mqtts://localhost:\(place.port)"],
        listener: ["allow_anonymous true"] + RealBroker.tls("broker"), options: ["--cafile", place.path("ca.pem")])
    },
    Row("subscribe-certificate", "FOLDER/me.pem", over: "FOLDER/other.pem") { arguments, place in
      try await collectedWithCertificate(arguments + ["--subscribe-key", place.path("me.key")], place)
    },
    Row("subscribe-key", "FOLDER/me.key", over: "FOLDER/other.key") { arguments, place in
      try await collectedWithCertificate(arguments + ["--subscribe-certificate", place.path("me.pem")], place)
    },
    Row("subscribe-encryption-key", "FOLDER/key", over: "FOLDER/other") { arguments, place in
      let path = try place.folder.write("secret\n", to: "key")
      #expect(chmod(path, 0o600) == 0)
      let broker = try RealBroker(folder: place.folder, port: place.port)
      try await collecting(arguments + ["--subscribe", "mqtt://127.0.0.1:\(place.port)"], broker) { process in
        let recording = try place.folder.write((0..<20).map { NMEA.epoch($0) }.joined(), to: "short.nmea")
        let result = try await DaemonProcess.run([
          "replay", recording, "--speed", "max", "--format", "none", "--publish", "mqtt://127.0.0.1:\(place.port)",
          "--publish-topic", "owntracks/ann/car",
          "--publish-encryption-key", path,
        ])
        #expect(result.status == 0, "\(result.messages)")
        try await process.wait(for: "all") { process.output.count { $0 == "\n" } == 20 }
      }
    },
    Row("subscribe-client-id", "the-fleet", over: "other") { arguments, place in
      let broker = try await collected(arguments, place)
      #expect(broker.log.contains("as the-fleet "))
    },
  ]

  /// What needs a journal of two devices, and stands on the command line alone.
  static let ofFleetJournal: [Row] = [
    Row("device", "ann/car") { arguments, place in
      let result = try await DaemonProcess.run(
        ["track", "--format", "csv", "--journal", try fleetJournal(place)] + arguments)
      // The header and three fixes.
      #expect(result.lines.count == 4 && !result.output.contains("ben/boat"), "\(result.output)")
    }
  ]

  /// What needs a database, each with a server of its own.
  static let ofDatabase: [Row] = [
    Row("journal-password-file", "FOLDER/password", over: "FOLDER/other") { arguments, place in
      let server = try RealPostgreSQL.newDatabase()
      try place.folder.write("\(RealPostgreSQL.password)\nnot this\n", to: "password")
      let result = try await replay(arguments + ["--journal", server.loopbackURL(), "--format", "none"])
      #expect(result.status == 0, "\(result.messages)")
      #expect(try server.execute("SELECT count(*), count(DISTINCT time) FROM locations") == ["704|704"])
    },
    Row("journal-keep", "1", over: "36500") { arguments, place in
      let server = try RealPostgreSQL.newDatabase()
      let journal = try PostgreSQLJournal(server.url())
      for days in [0.0, 100] {
        let location = Location(
          coordinate: LocationCoordinate2D(latitude: 48, longitude: 11),
          timestamp: Date(timeIntervalSinceNow: -86_400 * days),
          sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
        try journal.commit([DeviceRecord(.location(location), message: 1, received: Date())])
      }
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let flags = ["--subscribe", "mqtt://127.0.0.1:\(place.port)", "--journal", server.url()]
      try await collecting(arguments + flags, broker) { process in
        try await process.wait(for: "the old month has gone") {
          (try? server.execute("SELECT count(*) FROM locations")) == ["1"]
        }
      }
    },
  ]

  private static func fleetJournal(_ place: Place) throws -> String {
    let path = place.path("fleet.db")
    let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
    try journal.commit(
      (0..<5).map { number in
        let location = Location(
          coordinate: LocationCoordinate2D(latitude: 48 + Double(number) / 1000, longitude: 11),
          timestamp: Date(timeIntervalSince1970: 1_750_000_000 + Double(number)),
          sourceInformation: LocationSourceInformation(deviceIdentifier: number < 3 ? "ann/car" : "ben/boat"))
        return DeviceRecord(.location(location), message: 1, received: Date())
      })
    return path
  }

  /// Runs `collect` beside a broker until `body` has returned.
  private static func collecting(
    _ arguments: [String], _ broker: RealBroker, _ body: (DaemonProcess) async throws -> Void
  ) async throws {
    let process = try DaemonProcess(["collect"] + arguments)
    try await process.wait(for: "a session") { process.messages.contains("listening to") }
    try await body(process)
    try await process.terminate()
  }

  /// Has one location collected.
  @discardableResult
  private static func collected(
    _ arguments: [String], _ place: Place, adding: [String]? = nil, topic: String = "owntracks/ann/car",
    device: String = "ann/car", listener: [String] = ["allow_anonymous true"], options: [String] = []
  ) async throws -> RealBroker {
    let broker = try RealBroker(listener: listener, folder: place.folder, port: place.port)
    let flags = arguments + (adding ?? ["--subscribe", "mqtt://127.0.0.1:\(place.port)"])
    try await collecting(flags, broker) { process in
      try broker.publish(
        #"{"_type":"location","lat":48.5,"lon":11.5,"tst":1750000000}"#, on: topic, options: options)
      try await process.wait(for: "the location") { process.output.contains(#""latitude":48.5"#) }
      #expect(process.output.contains(#""device":"\#(device)""#))
    }
    return broker
  }

  private static func collectedWithCertificate(_ arguments: [String], _ place: Place) async throws {
    let certificates = try Certificates(in: place.folder)
    for name in ["broker", "me"] { try certificates.issue(name) }
    try await collected(
      arguments + ["--subscribe-ca", place.path("ca.pem")], place,
      adding: ["--subscribe", "mqtts://localhost:\(place.port)"],
      listener: ["require_certificate true", "use_identity_as_username true"] + RealBroker.tls("broker"),
      options: ["--cafile", place.path("ca.pem"), "--cert", place.path("me.pem"), "--key", place.path("me.key")])
  }
}
