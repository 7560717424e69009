import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

extension FlagTests {
  /// The settings of `collect` that no other command has, each row with a broker of its own.
  static let ofCollect: [Row] = [
    Row(
      "topic fleet/+", "share us", "device-limit 2", "subscribe-user ann", "subscribe-password-file FOLDER/password",
      "subscribe-ca FOLDER/ca.pem", "subscribe-certificate FOLDER/me.pem", "subscribe-key FOLDER/me.key",
      "subscribe-client-id the-fleet",
      over: "topic other/+", "share them", "device-limit 9", "subscribe-user bob",
      "subscribe-password-file FOLDER/other", "subscribe-ca FOLDER/other.pem", "subscribe-certificate FOLDER/other.pem",
      "subscribe-key FOLDER/other.key", "subscribe-client-id other"
    ) { arguments, place in
      let (broker, options) = try strictBroker(place)
      let process = try DaemonProcess(["collect", "--subscribe", "mqtts://localhost:\(place.port)"] + arguments)
      try await process.wait(toSay: "listening to")
      for (device, second) in [("van", 0), ("van", 1), ("van", 2), ("van", 3), ("boat", 0)] {
        try broker.publish(
          #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + second)}"#, on: "fleet/\(device)",
          options: options)
      }
      try await process.wait(for: "the other device") { process.output.contains(#""device":"boat""#) }
      try await process.wait(toSay: "van has sent more than 2 messages within an hour")
      let result = try await process.terminate()
      #expect(result.records("location").map { $0["device"] as? String } == ["van", "van", "boat"])
      for words in ["as the-fleet ", "u'ann'", "$share/us/fleet/+"] { #expect(broker.log.contains(words), "\(words)") }
    },
    Row("subscribe-encryption-key FOLDER/key", over: "subscribe-encryption-key FOLDER/other") { arguments, place in
      let key = try encryptionKey(place)
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let process = try await DaemonProcess.collecting(broker, arguments)
      try await DaemonProcess.run(
        [
          "replay", place.folder.recording(0..<20), "--speed", "max", "--format", "none", "--publish",
          "mqtt://127.0.0.1:\(place.port)", "--publish-topic", "owntracks/ann/car", "--publish-encryption-key", key,
        ], status: 0)
      try await process.wait(for: "all") { process.records("location").count == 20 }
      try await process.terminate()
    },
  ]

  static let ofDatabase: [Row] = [
    Row("journal-password-file FOLDER/password", over: "journal-password-file FOLDER/other") { arguments, place in
      let server = try RealPostgreSQL.newDatabase()
      try place.folder.write("\(RealPostgreSQL.password)\nnot this\n", to: "password")
      let result = try await replay(arguments + ["--journal", server.loopbackURL(), "--format", "none"])
      #expect(result.status == 0, "\(result.messages)")
      #expect(try server.execute("SELECT count(*), count(DISTINCT time) FROM locations") == ["704|704"])
    },
    Row("journal-keep 1", over: "journal-keep 36500") { arguments, place in
      let server = try RealPostgreSQL.newDatabase()
      let journal = try PostgreSQLJournal(server.url())
      for days in [0.0, 100] {
        let location = Location(of: "ann/car", at: Date(timeIntervalSinceNow: -86_400 * days))
        try journal.commit([DeviceRecord(.location(location), message: 1, received: Date())])
      }
      let broker = try RealBroker(folder: place.folder, port: place.port)
      let process = try await DaemonProcess.collecting(broker, ["--journal", server.url()] + arguments)
      try await process.wait(for: "the old month has gone") {
        (try? server.execute("SELECT count(*) FROM locations")) == ["1"]
      }
      try await process.terminate()
    },
  ]
}
