import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

/// What `collect` makes of the journal of an earlier run.
@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct CollectRestartTests {
  private let folder = TemporaryFolder()
  private let broker: RealBroker
  private let now = Date().timeIntervalSince1970.rounded()
  private var journal: String { folder.path("fleet.db") }

  init() throws { broker = try RealBroker() }

  private func location(_ device: String, ago: Double, latitude: Double) -> Location {
    Location(of: device, at: Date(timeIntervalSince1970: now - ago), latitude: latitude)
  }

  /// Keeps records as an earlier run does.
  private func keep(_ records: [JournalRecord]) throws {
    let journal = try DeviceJournalFile(path: journal, limit: 1 << 24)
    try journal.commit(records.map { DeviceRecord($0, message: 1, received: Date()) })
  }

  private func collect(_ arguments: [String] = []) async throws -> DaemonProcess {
    try await .collecting(broker, ["--journal", journal] + arguments)
  }

  private func publish(_ device: String, ago: Double, latitude: Double = 48) throws {
    let time = Int(Date().timeIntervalSince1970 - ago)
    try broker.publish(
      #"{"_type":"location","lat":\#(latitude),"lon":11,"acc":5,"tst":\#(time)}"#, on: "owntracks/\(device)")
  }

  /// The cars have been silent for an hour and for half a minute. The boat's fix is almost as old as a fix may be.
  @Test(arguments: [[], ["--fence", "depot=50,0,100"]])
  func whatTheEarlierRunHasSaidIsKnownAndNotSaidAgain(fence: [String]) async throws {
    try keep(
      [("ann/old", 3600), ("ann/car", 30), ("ann/car", 20)].map { .location(location($0, ago: $1, latitude: 48)) })
    let process = try await collect(["--stale-after", "60"] + fence)
    try publish("ben/boat", ago: 58)
    // The run knows the car: an older location is late.
    try publish("ann/car", ago: 3600)
    try publish("ann/car", ago: 0)
    try await process.wait(for: "the car") { process.output.contains("ann/car") }
    try await process.wait(for: "the loss", within: 30) { process.output.contains("no fix for 60.0 s") }
    let result = try await process.terminate()
    #expect(result.records("location").map { $0["device"] as? String } == ["ben/boat", "ann/car"])
    #expect(result.records("error").map { $0["device"] as? String } == ["ben/boat"])
    #expect(result.messages.contains(" 3 locations of 3 messages, 1 late, "), "\(result.messages)")
  }

  private let home = Region(center: LocationCoordinate2D(latitude: 48, longitude: 11), radius: 200, identifier: "home")

  /// The crossings on standard output, in alphabetical order.
  private func fences(_ result: DaemonProcess.Result) -> [String] {
    result.records("fence").map { "\($0["device"] ?? "") \($0["fence"] ?? "") \($0["event"] ?? "")" }.sorted()
  }

  /// A device and its locations of the earlier run, some seconds ago, with those at which it is at home.
  private func way(_ device: String, _ ago: [Double], isHome: (Double) -> Bool) -> [JournalRecord] {
    ago.map { .location(location(device, ago: $0, latitude: isHome($0) ? 48 : 48.1)) }
  }

  /// What the earlier run has kept of a device that it saw at home.
  private func seenAtHome(_ device: String) -> [JournalRecord] {
    let inside = location(device, ago: 300, latitude: 48)
    return [.location(inside), .crossing(RegionCrossing(home, .inside, at: inside))]
  }

  @Test func aCrossingBesideARestartIsReportedOnceAndKept() async throws {
    // The earlier run did not know the fence.
    try keep(way("left/before", Array(stride(from: 60.0, through: 0, by: -5))) { $0 > 32 })
    // It is where it was known to be.
    let often = Array(stride(from: 60.0, through: 0, by: -2))
    try keep(seenAtHome("back/again") + way("back/again", often) { !(31...55).contains($0) })
    // A fix alone says nothing of how long a car has been outside; and it says nothing of where the car was before.
    try keep(seenAtHome("going/slowly") + way("going/slowly", [40, 22, 16, 10, 4]) { $0 > 30 })
    try keep(seenAtHome("going/fast") + way("going/fast", [15, 10, 5]) { _ in false })
    // No crossing is known, but an earlier fix was outside.
    try keep(way("coming/home", [200, 15, 10, 5]) { $0 <= 30 })
    // Of the locations that are read again, the first is a single one inside, which was never a stay.
    try keep(way("short/stay", [900, 800, 700, 600, 500, 400, 5]) { $0 == 800 })

    let first = try await collect(["--fence", "home=48,11,200"])
    // Ten seconds after the start of this test, however long it has taken.
    let later = Date().timeIntervalSince1970 - now - 10
    for device in ["going/slowly", "going/fast"] { try publish(device, ago: later, latitude: 48.1) }
    try publish("coming/home", ago: later)
    try publish("short/stay", ago: 0, latitude: 48.1)
    // All rows before this one are in the journal.
    try publish("ben/boat", ago: 0, latitude: 49)
    try await first.wait(for: "the boat") { first.output.contains("ben/boat") }
    let crossed = ["coming/home home enter", "going/fast home exit", "going/slowly home exit", "left/before home exit"]
    #expect(fences(try await first.terminate()) == crossed, "\(first.output)")
    let known = ["back/again", "going/fast", "going/slowly"].map { "\($0) home enter" }
    #expect(try JournalReader(path: journal).crossings().sorted() == (known + crossed).sorted())

    let second = try await collect(["--fence", "home=48,11,200"])
    try publish("ben/boat2", ago: 0, latitude: 49)
    try await second.wait(for: "the boat") { second.output.contains("ben/boat2") }
    #expect(fences(try await second.terminate()) == [], "\(second.output)")
    #expect(try JournalReader(path: journal).crossings().count == known.count + crossed.count)
  }

  @Test func anOutputThatFailsIsSaidAtTheEnd() async throws {
    let address = "mqtt://127.0.0.1:\(broker.port)"
    let process = try DaemonProcess(bash: "exec $B collect --subscribe \(address) --journal \(journal) >/dev/full")
    try await process.wait(toSay: "listening to")
    try publish("ann/car", ago: 0)
    try await process.wait(toSay: "standard output cannot be written")
    try await process.terminate(status: 74, saying: "1 of 1 record was not written")
  }
}
