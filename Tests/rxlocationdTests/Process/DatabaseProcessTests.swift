import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

/// What a user sees of a journal in a database, with a real server and a real broker.
@Suite(
  .startsPrograms, .enabled(if: RealPostgreSQL.programs != nil, "there is no PostgreSQL on this host"),
  .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct DatabaseProcessTests {
  private let server: RealPostgreSQL
  private let broker: RealBroker

  init() throws { (server, broker) = (try RealPostgreSQL.newDatabase(), try RealBroker()) }

  private var address: String { "mqtt://127.0.0.1:\(broker.port)" }

  private func publish(_ seconds: Int, from device: String = "ann/car") throws {
    try broker.publish(
      #"{"_type":"location","lat":48,"lon":11,"acc":5,"tst":\#(1_750_000_000 + seconds)}"#, on: "owntracks/\(device)")
  }

  private func rows() -> [String] { rows(server) }

  private func rows(_ server: RealPostgreSQL) -> [String] {
    (try? server.execute("SELECT count(*) FROM locations")) ?? []
  }

  private func collect(_ server: RealPostgreSQL) throws -> DaemonProcess {
    try DaemonProcess(["collect", "--subscribe", address, "--journal", server.url()])
  }

  /// A replay of a file, or of standard input.
  private func replay(_ file: String, _ url: String) throws -> DaemonProcess {
    try DaemonProcess(
      ["replay", file, "--speed", "max", "--format", "none", "--journal", url], keepsInputOpen: file == "-")
  }

  @Test func aDatabaseThatIsAwayIsWaitedForAndNothingIsLost() async throws {
    let server = try RealPostgreSQL()
    server.kill()
    let process = try collect(server)
    try await process.wait(toSay: "messages wait at the broker meanwhile")
    try server.start()
    try await process.wait(toSay: "listening to")
    try publish(0)
    try await process.wait(for: "a row") { rows(server) == ["1"] }
    server.kill()
    for second in 1...3 { try publish(second) }
    try publish(0, from: "ben/boat")
    try await process.wait(for: "a status") {
      process.send(signal: SIGUSR1)
      return process.messages.contains("nothing is received since")
    }
    try server.start()
    try await process.wait(for: "all rows") { rows(server) == ["5"] }
    try await process.terminate()

    let list = try await DaemonProcess.run(["collect", "--list", "--journal", server.url()])
    #expect(list.lines.map { $0.contains("ann/car") } == [true, false], "\(list.output) \(list.messages)")
    let track = try await DaemonProcess.run(
      ["track", "--format", "csv", "--journal", server.url(), "--device", "ann/car", "--since", "2025-06-15T15:06:41Z"])
    // The header and three fixes.
    #expect(track.status == 0 && track.lines.count == 4, "\(track.output) \(track.messages)")
  }

  @Test func whoEndsWhileTheDatabaseIsAwayEndsAtOnceAndWhoStaysLosesNothing() async throws {
    let server = try RealPostgreSQL()
    server.kill()
    let collector = try collect(server)
    try await collector.wait(toSay: "messages wait at the broker meanwhile")
    try await collector.terminate()
    let receiver = try replay("-", server.url())
    receiver.feed(0..<2)
    try await receiver.wait(toSay: "records wait meanwhile")
    try await receiver.terminate(status: 74, saying: "were not kept in journal postgresql://")

    let process = try replay("Recordings/drive.nmea", server.url())
    try await process.wait(toSay: "records wait meanwhile")
    try server.start()
    try await process.waitUntilExit(status: 0)
    #expect(rows(server) == ["704"])
    // A receiver's fixes are those of a device.
    #expect(try server.execute("SELECT count(*) FROM devices") == ["1"])
  }

  @Test func fixesWithoutATimeAreALoss() async throws {
    let folder = TemporaryFolder()
    let path = try folder.write((0..<5).map { NMEA.undated($0) }.joined(), to: "undated.nmea")
    let result = try await replay(path, server.url()).waitUntilExit()
    #expect(result.status == 74 && rows() == ["0"], "\(rows()) \(result.messages)")
    #expect(result.messages.contains("warning: a location without a time"), "\(result.messages)")
    #expect(
      result.messages.contains(/5 records were not kept in journal postgresql:.*, because they had no time/),
      "\(result.messages)")
  }

  @Test func aConnectionThatEndsIsSaidWithThePrefix() async throws {
    let process = try replay("-", server.url())
    process.feed(0..<2)
    try await process.wait(for: "a row") { rows() == ["1"] || rows() == ["2"] }
    try server.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rxlocationd'"
    )
    process.feed(2..<5)
    process.closeInput()
    let result = try await process.waitUntilExit()
    #expect(result.status == 0 && rows() == ["5"], "\(rows()) \(result.messages)")
    #expect(result.messages.contains("terminating connection due to administrator command"), "\(result.messages)")
    let lines = result.messages.split(separator: "\n")
    #expect(lines.allSatisfy { $0.contains(/^[a-z]+: ./) }, "\(result.messages)")
  }

  @Test func aTableThatWasDroppedIsMadeAgain() async throws {
    let process = try collect(server)
    try await process.wait(toSay: "listening to")
    try publish(0)
    try await process.wait(for: "a row") { rows() == ["1"] }
    try server.execute("DROP TABLE locations")
    try publish(1)
    try await process.wait(for: "a row in the new table") { rows() == ["1"] }
    try await process.wait(for: "a warning") {
      process.messages.contains(/journal postgresql:.* lacked locations, which is created again/)
    }
    try await process.terminate()
  }

  @Test func aReplayIntoADatabaseThatRefusesItEnds() async throws {
    let result = try await replay("Recordings/drive.nmea", server.url(database: "fleet")).waitUntilExit()
    #expect(result.status == 74 && result.messages.contains("make it with createdb"), "\(result)")
    #expect(result.messages.contains("705 records were not kept"), "\(result.messages)")
  }

  @Test func whoEndsWhileTheDatabaseHangsEndsAtOnce() async throws {
    try PostgreSQLJournal(server.url()).commit([])
    let holder = try server.begin("LOCK TABLE devices; SELECT pg_sleep(600)")
    defer { holder.end() }
    let process = try collect(server)
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    try await process.wait(for: "a query that waits") { (try? server.execute(waiting)) == ["1"] }
    try await process.terminate()
  }

  @Test func theDoctorNamesWhatIsWrong() async throws {
    let good = try await DaemonProcess.run(["doctor", "--subscribe", address, "--journal", server.url()])
    #expect(good.status == 0, "\(good.output)")
    #expect(good.output.contains("can be written"))
    #expect(good.output.contains("sends this client the messages on"))
    #expect(try server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"])
    let bad = try await DaemonProcess.run([
      "doctor", "--subscribe", "mqtt://127.0.0.1:\(LoopbackSocket.unusedPort())", "--journal",
      server.url(database: "fleet"),
    ])
    #expect(bad.status == 69)
    for words in ["make it with createdb", "systemctl enable --now mosquitto"] {
      #expect(bad.output.contains(words), "\(bad.output)")
    }
  }

  @Test func theDoctorAndTheCollectorAreOfOneMind() async throws {
    let password = try server.folder.write(RealPostgreSQL.password, to: "password")
    try PostgreSQLJournal(server.url()).commit([])
    try server.execute("REVOKE CREATE ON SCHEMA public FROM ann; GRANT INSERT ON locations TO ann")
    let flags = ["--subscribe", address, "--journal", server.loopbackURL()]
    let asked = try await DaemonProcess.run(["doctor"] + flags + ["--journal-password-file", password])
    #expect(asked.status == 69 && asked.output.contains("permission denied for table"), "\(asked.output)")
    let refused = try await DaemonProcess.run(["collect"] + flags + ["--journal-password-file", password])
    #expect(refused.status == 73 && refused.messages.contains("permission denied for table"), "\(refused.messages)")
    #expect(!refused.messages.contains("LINE 1"), "\(refused.messages)")
    // Without a password it does not wait for the server.
    let none = try await DaemonProcess.run(["collect"] + flags)
    #expect(none.status == 73 && none.messages.contains("name the password's file"), "\(none.messages)")

    try server.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO ann")
    let early = try await DaemonProcess.run(["doctor"] + flags + ["--journal-password-file", password])
    #expect(early.status == 69 && early.output.contains("has no partition for "), "\(early.output)")
    let record = DeviceRecord(.location(Location(of: "ann/car", at: Date())), message: 1, received: Date())
    try PostgreSQLJournal(server.url()).commit([record])
    let warned = try await DaemonProcess.run(["doctor"] + flags + ["--journal-password-file", password])
    #expect(warned.status == 0 && warned.output.contains("warning  journal: "), "\(warned.output)")
    #expect(warned.output.contains("create each month's partition in time, the next by: CREATE TABLE locations_"))
  }
}
