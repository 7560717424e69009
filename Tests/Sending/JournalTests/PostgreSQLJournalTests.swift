import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Journal

/// What a server of many writers adds to a journal of many devices.
@Suite(.startsPrograms, .enabled(if: RealPostgreSQL.programs != nil, "there is no PostgreSQL on this host"))
struct PostgreSQLJournalTests {
  private let server: RealPostgreSQL

  init() throws { server = try RealPostgreSQL.newDatabase() }

  private static func record(_ device: String, _ number: Int) -> DeviceRecord {
    var location = location(number)
    location.sourceInformation = LocationSourceInformation(deviceIdentifier: device)
    return DeviceRecord(.location(location), message: 1, received: Date(timeIntervalSince1970: 1_750_000_000))
  }

  /// Where a device was at a time.
  private func fix(at time: Date) -> Location {
    var location = everything
    location.timestamp = time
    location.sourceInformation = LocationSourceInformation(deviceIdentifier: "ann/car")
    return location
  }

  private func record(at time: Date, message: Int64 = 1) -> DeviceRecord {
    DeviceRecord(.location(fix(at: time)), message: message, received: Date())
  }

  /// Expects that nothing can be written to a journal, for a reason and with some words.
  @discardableResult
  private func expectRefusal(
    _ reason: JournalError.Reason, _ words: String? = nil, of url: String, passwordFile: String? = nil
  ) throws -> String {
    let journal = try PostgreSQLJournal(url, passwordFile: passwordFile)
    return try #require(expectFailure(reason, words) { try journal.commit([]) })
  }

  @Test func manyWritersMakeTheTablesAndWriteTheSameRows() async throws {
    let url = server.url()
    // Days apart, so that all make months, too; each in another order.
    let numbers = (0..<40).map { $0 * 864_000 }
    try await withThrowingTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          try await Self.onThread {
            let journal = try PostgreSQLJournal(url)
            for piece in 0..<8 {
              let shift = writer * 10 + piece * 5
              try journal.commit((0..<40).map { Self.record("device \($0 % 3)", numbers[($0 + shift) % 40]) })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try server.execute("SELECT count(*), count(DISTINCT (device, time)) FROM locations") == ["120|120"])
    #expect(try server.execute("SELECT count(*) FROM devices") == ["3"])
    #expect(try server.execute("SELECT version FROM rxlocationd") == ["1"])
  }

  private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }

  @Test func whatWasCommittedIsThereAfterTheServerWasKilled() throws {
    let server = try RealPostgreSQL()
    let journal = try PostgreSQLJournal(server.url())
    var committed = 0
    for round in 0..<3 {
      for number in 0..<20 {
        try journal.commit([Self.record("ann/car", round * 100 + number)])
        committed += 1
      }
      server.kill()
      expectFailure(.unavailable) { try journal.commit([Self.record("ann/car", 9999)]) }
      try server.start()
    }
    try journal.commit([])
    #expect(try server.execute("SELECT count(*) FROM locations") == ["\(committed)"])
  }

  @Test func aConnectionThatWasEndedIsMadeAgain() throws {
    let journal = try PostgreSQLJournal(server.url())
    try journal.commit([Self.record("ann/car", 0)])
    try server.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        + "WHERE datname = current_database() AND application_name = 'rxlocationd'")
    // libpq says it to standard error unless it is told otherwise.
    expectFailure(.unavailable, "terminating connection due to administrator command") {
      try journal.commit([Self.record("ann/car", 1)])
    }
    try journal.commit([Self.record("ann/car", 1)])
    #expect(try journal.newestLocations().count == 1)
    #expect(try server.execute("SELECT count(*) FROM locations") == ["2"])
  }

  @Test(arguments: ["rxlocationd", "locations", "events", "devices", "judged", "locations_2023_11"])
  func aTableThatWasDroppedIsMadeAgain(table: String) throws {
    var crossing = RegionCrossing(.circle(home), .inside, at: everything)
    crossing.location.sourceInformation = LocationSourceInformation(deviceIdentifier: "ann/car")
    let received = Date(timeIntervalSince1970: 1_750_000_000)
    func open() throws -> PostgreSQLJournal {
      let journal = try PostgreSQLJournal(server.url())
      journal.judge = "depot"
      return journal
    }
    let journal = try open()
    func commit(_ number: Int) throws {
      try journal.commit([
        Self.record("ann/car", number), DeviceRecord(.crossing(crossing), message: Int64(number), received: received),
      ])
    }
    try commit(0)
    #expect(journal.takeNotices().isEmpty)
    try server.execute("DROP TABLE \(table)")
    try commit(1)
    // Nothing reads the table of the version before the next connection.
    let next = try open()
    try next.commit([])
    // The part of a month is made whenever there is none.
    let expected = table == "locations_2023_11" ? [] : ["lacked \(table), which is created again"]
    #expect(journal.takeNotices() + next.takeNotices() == expected)
    for name in ["rxlocationd", "locations", "events", "devices", "judged"] {
      let rows = try server.execute("SELECT count(*) FROM \(name)")
      let isShort = ["rxlocationd", "devices", "judged"].contains(name) || table.hasPrefix(name)
      #expect(rows == [isShort ? "1" : "2"], "\(name): \(rows)")
    }
    #expect(try open().trial() == nil)
  }

  @Test func aStatementThatIsCancelledDoesNotMeanThatTheServerIsAway() throws {
    let connection = try PostgreSQLConnection(PostgreSQLAddress(server.url()), passwordFile: nil)
    try connection.execute("SET statement_timeout TO '100ms'")
    expectFailure(
      .unavailable, "has cancelled a statement: canceling statement due to statement timeout"
    ) { try connection.execute("SELECT pg_sleep(600)") }
  }

  @Test func whatIsWrongIsNamedWithoutThePassword() throws {
    let password = try server.folder.write("\(RealPostgreSQL.password)\nnot this\n", to: "password")
    let url = server.loopbackURL()
    try PostgreSQLJournal(url, passwordFile: password).commit([Self.record("ann/car", 0)])

    let wrong = url.replacing("ann@", with: "ann:guess@")
    let message = try expectRefusal(.cannotOpen, "password authentication failed", of: wrong)
    #expect(!message.contains("guess"))
    // Nobody is to wait for a server that is there.
    try expectRefusal(.cannotOpen, "keep it in ~/.pgpass", of: url)
    try expectRefusal(.cannotOpen, "make it with createdb", of: server.url(database: "fleet"))
    try expectRefusal(.cannotOpen, "/nonexistent", of: url, passwordFile: "/nonexistent")
    let port = LoopbackSocket.unusedPort()
    try expectRefusal(.unavailable, "cannot be reached", of: "postgresql://127.0.0.1:\(port)/fleet")
    let malformed = try #require(throws: JournalError.self) { try PostgreSQLJournal("postgresql://a:b:c/%%") }
    #expect(malformed.message.contains("postgresql://USER@HOST/DATABASE"), "\(malformed)")
    try server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    try expectRefusal(.cannotOpen, "LATIN1", of: server.url(database: "latin"))
  }

  @Test func aUserWhoMayMakeNoTablesIsToldSoAndCanWriteWhereTheyAre() throws {
    let password = try server.folder.write(RealPostgreSQL.password, to: "password")
    try server.execute("REVOKE CREATE ON SCHEMA public FROM ann, public")
    try expectRefusal(
      .cannotOpen, "what is needed: permission denied for schema public", of: server.loopbackURL(),
      passwordFile: password)
    try PostgreSQLJournal(server.url()).commit([Self.record("ann/car", 0)])
    try server.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ann")
    let journal = try PostgreSQLJournal(server.loopbackURL(), passwordFile: password)
    try journal.commit([])
    #expect(try journal.newestLocations().count == 1)
  }

  @Test func whatTheServerSaysIsOneLineWithoutTheStatement() throws {
    let connection = try PostgreSQLConnection(PostgreSQLAddress(server.url()), passwordFile: nil)
    try connection.execute("CREATE TABLE t (n integer PRIMARY KEY); INSERT INTO t VALUES (1)")
    func failure(_ statement: String) throws -> String {
      try #require(throws: JournalError.self) { try connection.execute(statement) }.message
    }
    let twice = try failure("INSERT INTO t\nVALUES (1)")
    #expect(twice.hasSuffix(#"violates unique constraint "t_pkey"; Key (n)=(1) already exists"#), "\(twice)")
    let unknown = try failure("SELECT lenght('a')")
    #expect(unknown.contains("function lenght(unknown) does not exist; No function matches"), "\(unknown)")
    let lines = try failure("DO $$ BEGIN RAISE 'one\n\ttwo   three'; END $$")
    #expect(lines.hasSuffix("cannot be read or written: one; two three"), "\(lines)")
    // What the server says without being asked would go to standard error.
    let warning = "DO $$ BEGIN RAISE WARNING 'look here'; END $$"
    try connection.execute(warning)
    #expect(connection.remark == nil)
    try connection.execute("SET client_min_messages TO warning; \(warning)")
    #expect(connection.remark?.hasPrefix("WARNING: look here") == true, "\(connection.remark ?? "")")
    // What libpq says of two addresses is of several lines, which begin with tabs.
    let away = try expectRefusal(.unavailable, of: "postgresql://localhost:\(LoopbackSocket.unusedPort())/fleet")
    #expect(!away.contains { $0.isNewline || $0 == "\t" }, "\(away)")
  }

  @Test func aUserWhoLacksARightIsToldWhich() throws {
    let password = try server.folder.write(RealPostgreSQL.password, to: "password")
    let owner = try PostgreSQLJournal(server.url())
    #expect(try owner.trial() == nil)
    #expect(try server.execute("SELECT count(*) FROM pg_class WHERE relname = 'locations'") == ["0"])
    let ann = try PostgreSQLJournal(server.loopbackURL(), passwordFile: password)
    try owner.commit([])
    func refusal() throws -> String {
      #expect(throws: JournalError.self) { try ann.commit([Self.record("ann/car", 0)]) }
      return try #require(throws: JournalError.self) { try ann.trial() }.message
    }
    #expect(try refusal().hasSuffix("what is needed: permission denied for table rxlocationd"))
    try server.execute("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO ann")
    var message = try refusal()
    #expect(message.contains("has no partition for "), "\(message)")

    // As it says.
    let making = try #require(message.firstRange(of: "CREATE TABLE locations_"))
    try server.execute(String(message[making.lowerBound...]))
    message = try #require(throws: JournalError.self) { try ann.trial() }.message
    #expect(message.hasSuffix("permission denied for table devices"), "\(message)")
    try server.execute("GRANT UPDATE ON devices, judged TO ann")
    try server.execute(try #require(try ann.trial()))
    #expect(try server.execute("SELECT count(*) FROM locations") == ["0"], "a trial leaves nothing")
    ann.judge = "ann"
    try ann.commit([record(at: Date())])
    let inTwoYears = Date() + 26 * 31 * 86_400
    #expect(throws: JournalError.self) { try ann.commit([record(at: inTwoYears)]) }
    #expect(try ann.newestLocations().count == 1)
    try server.execute("ALTER TABLE devices DROP COLUMN climb")
    #expect(try refusal().contains("must be owner of table devices"))
    #expect(try owner.trial() == nil)
    try server.execute("ALTER DATABASE \(server.database) SET default_transaction_read_only TO on")
    #expect(try #require(throws: JournalError.self) { try owner.trial() }.reason == .readOnly)
  }

  @Test func whatANewerProgramHasMadeIsLeftAlone() throws {
    let journal = try PostgreSQLJournal(server.url())
    try journal.commit([Self.record("ann/car", 0)])
    try server.execute("ALTER TABLE locations DROP COLUMN climb; ALTER TABLE devices DROP COLUMN climb")
    // One that an older program has made gets what it lacks.
    try PostgreSQLJournal(server.url()).commit([Self.record("ann/car", 1)])
    #expect(try server.execute("SELECT climb FROM devices") == ["-0.1"])
    try server.execute("UPDATE rxlocationd SET version = 2")
    try expectRefusal(.newerVersion, of: server.url())
    #expect(try server.execute("SELECT count(*) FROM locations") == ["2"])
  }

  @Test(.enabled(if: RealPostgreSQL.has(extension: "postgis"), "there is no PostGIS on this host"))
  func wherePostGISIsThereIsAViewWithPlaces() throws {
    try server.execute("CREATE EXTENSION postgis")
    try PostgreSQLJournal(server.url()).commit([Self.record("ann/car", 45), Self.record("ann/car", 46)])
    let rows = try server.execute("SELECT ST_Y(place::geometry), device FROM trail ORDER BY time")
    #expect(rows == ["45|ann/car", "46|ann/car"])
  }

  @Test func aJudgeGoesOnWhereItWasHoweverFarOthersAre() throws {
    let judge = try PostgreSQLJournal(server.url())
    judge.judge = "it's the depot's"
    try judge.commit([Self.record("ann/car", 0), Self.record("ben/boat", 30)])
    let other = try PostgreSQLJournal(server.url())
    try other.commit([Self.record("ann/car", 80), Self.record("cay/van", 0)])
    func times(_ journal: PostgreSQLJournal) throws -> [Double?] {
      try journal.newestLocations().map { $0.timestamp.map { $0.timeIntervalSince1970 - 1_700_000_000 } }
    }
    #expect(try times(judge) == [0, 3])
    #expect(try times(other) == [8, 3, 0])
    // The same again, as the broker sends it to the judge.
    try judge.commit([Self.record("ann/car", 80)])
    #expect(try times(judge) == [8, 3])
    let new = try PostgreSQLJournal(server.url())
    new.judge = "another"
    #expect(try times(new) == [8, 3, 0], "one that is new goes on where others are")
    #expect(try server.execute("SELECT count(*) FROM locations") == ["4"])
  }

  @Test(arguments: [999, 1000, 1001])
  func whatIsReadInPiecesIsWholeAndMayEndEarly(count: Int) throws {
    let journal = try PostgreSQLJournal(server.url())
    try journal.commit((0..<count).map { Self.record("ann/car", $0) })
    func read(atMost limit: Int) throws -> Int {
      var found = 0
      try journal.forEachLocation(of: "ann/car") { _ in
        found += 1
        return found < limit
      }
      return found
    }
    #expect(try read(atMost: .max) == count)
    #expect(try read(atMost: 1) == 1)
    #expect(try read(atMost: .max) == count, "the connection goes on after an early end")
  }

  @Test func whoReadsForLongKeepsNobodyWaiting() throws {
    let journal = try PostgreSQLJournal(server.url())
    try journal.commit([Self.record("ann/car", 0)])
    let reader = try PostgreSQLConnection(PostgreSQLAddress(server.url()), passwordFile: nil)
    try reader.execute("BEGIN; SELECT count(*) FROM locations")
    // A month that is new, and one that is to go.
    journal.days = 1
    try journal.commit([Self.record("ann/car", 60 * 864_000)])
    #expect(try server.execute("SELECT count(*) FROM locations") == ["2"])
    try reader.execute("COMMIT")
    let other = try PostgreSQLJournal(server.url())
    other.days = 1
    try other.commit([])
    #expect(try server.execute("SELECT count(*) FROM locations") == ["0"])
  }

  @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
    let connection = try PostgreSQLConnection(PostgreSQLAddress(server.url()), passwordFile: nil)
    connection.patience = 0.2
    expectFailure(.unavailable, "has not answered within 0.2 s") { try connection.execute("SELECT pg_sleep(600)") }
  }

  @Test func aLocationOfAMonthThatHasJustGoneIsKept() throws {
    let journal = try PostgreSQLJournal(server.url())
    let late = Date() - 400 * 86_400
    try journal.commit([record(at: late)])
    journal.days = 90
    try journal.commit([record(at: late, message: 2)])
    #expect(try server.execute("SELECT message FROM locations") == ["2"])
  }

  @Test func aTimeThatIsRoundedIntoTheNextMonthHasItsPart() throws {
    let journal = try PostgreSQLJournal(server.url())
    // A Double of seconds has tenths of microseconds, and the server whole ones.
    try journal.commit([record(at: Date(timeIntervalSince1970: 1_764_547_200 - 2e-7))])
    #expect(try server.execute("SELECT time AT TIME ZONE 'UTC' FROM locations_2025_12") == ["2025-12-01 00:00:00"])
  }

  @Test func oldMonthsGo() throws {
    let journal = try PostgreSQLJournal(server.url())
    let now = Date()
    for days in [0.0, 20, 400, 20_000] {
      let time = now - days * 86_400
      let crossing = RegionCrossing(.circle(home), .inside, at: fix(at: time))
      for record in [record(at: time), DeviceRecord(.crossing(crossing), message: 1, received: now)] {
        try journal.commit([record])
      }
    }
    #expect(try server.execute("SELECT count(*) FROM locations") == ["4"])
    journal.days = 90
    try journal.commit([])
    #expect(try server.execute("SELECT count(*) FROM locations") == ["2"])
    #expect(try server.execute("SELECT count(*) FROM events") == ["2"])
    #expect(try server.execute("SELECT to_regclass('locations_1999_12')").isEmpty)
  }
}
