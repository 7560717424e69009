import Glibc
import LocationKit
import Records
import Rx
import TestSupport
import Testing

@testable import rxlocationd

/// What readers of a location socket get from a source that the test plays.
@MainActor @Suite(.inTurn) struct LocationSocketOutputTests {
  private let folder = TemporaryFolder()

  /// The lines so far, as soon as one has `text`.
  private func lines(_ client: Client, until text: String) async -> [Substring] {
    var (received, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    _ = await eventually {
      let count = recv(client.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      if count > 0 { received += chunk[..<count] }
      return received.last == UInt8(ascii: "\n") && String(decoding: received, as: UTF8.self).contains(text)
    }
    return String(decoding: received, as: UTF8.self).split(separator: "\n")
  }

  @Test func headingsAreForReadersWhoAskAndTheirAbsenceIsNoError() async throws {
    let stage = try await OutputStage(LocationSocketOutput.self, ["--location-socket", "unix:\(folder.path("s"))"])
    stage.pipeline.start(knowing: [])
    #expect(!stage.source.interests.contains(.headings))
    let client = try Client.unix(folder.path("s"))
    client.send("watch headings\n")
    #expect(await eventually { stage.source.interests.contains(.headings) })
    let clock = try #require(stage.source.clock as? VirtualClock)
    // The fix stays, and no heading comes.
    for _ in 0..<15 {
      clock.advance(by: 1)
      stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    }
    for direction in [10.0, 10.25] { stage.source.send(.heading(Heading(trueHeading: direction))) }
    let lines = await lines(client, until: "10.25")
    #expect(lines.count { $0.contains(#""type":"location""#) } == 15, "\(lines)")
    #expect(!lines.contains { $0.contains("error") }, "\(lines)")
    #expect(lines.suffix(2) == ["10.0", "10.25"].map { #"{"type":"heading","trueHeading":\#($0)}"# })
    client.send("watch\n")
    #expect(await eventually { !stage.source.interests.contains(.headings) })
    await stage.close()
  }

  @Test(.enabled(if: PrivacyProcessTests.hasSecret, "this host has no machine-id"))
  func aHiddenPlaceIsInNoGreeting() async throws {
    let path = folder.path("s")
    let policy = ["--location-socket-privacy", "hide:home", "--fence", "home=1,2,5000"]
    let stage = try await OutputStage(LocationSocketOutput.self, ["--location-socket", "unix:\(path)"] + policy)
    stage.pipeline.start(knowing: [])
    for second in 0..<60 { stage.sendStuckFix(second) }
    let client = try Client.unix(path)
    client.send("watch satellites\n")
    #expect(await eventually { stage.source.interests.contains(.satellites) })
    stage.source.send(.satellites([Satellite(system: .gps, number: 5)]))
    let lines = await lines(client, until: "satellites")
    #expect(!lines.contains { $0.contains(#""type":"location""#) }, "\(lines)")
    #expect(lines.last == #"{"type":"satellites","satellites":[]}"#)
    await stage.close()
  }

  /// A reader that leaves wants nothing any more.
  @Test func satellitesAreFollowedWhileAReaderIsThere() async throws {
    let flags = ["--location-socket", "unix:\(folder.path("s"))", "--location-socket-format", "geojson"]
    let stage = try await OutputStage(LocationSocketOutput.self, flags)
    stage.pipeline.start(knowing: [])
    let (plain, first) = (try Client.unix(folder.path("s")), try Client.unix(folder.path("s")))
    var second: Client? = try Client.unix(folder.path("s"))
    first.send("watch satellites\n")
    second?.send("watch satellites headings\n")
    #expect(await eventually { stage.output.wanted.value == [.satellites, .headings] })
    stage.source.send(.satellites([Satellite(system: .galileo, number: 7, signal: 41.5, isUsed: true)]))
    #expect(
      await lines(first, until: "satellites").last
        == "\u{1E}{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"type\":\"satellites\",\"satellites\":"
        + "[{\"system\":\"Galileo\",\"number\":7,\"signal\":41.5,\"used\":true}]}}")
    second = nil
    #expect(await eventually { stage.output.wanted.value == [.satellites] })
    // The present satellites are for a reader who asks later, too.
    let third = try Client.unix(folder.path("s"))
    third.send("watch satellites\n")
    #expect(await lines(third, until: "Galileo").last?.contains(#""type":"satellites""#) == true)
    third.send("watch\n")
    first.send("watch\n")
    #expect(await eventually { stage.output.wanted.value == [] && !stage.source.interests.contains(.satellites) })
    // After a time without such a reader they are not present any more.
    let fourth = try Client.unix(folder.path("s"))
    fourth.send("watch satellites\n")
    #expect(await eventually { stage.output.wanted.value == [.satellites] })
    stage.source.send(.satellites([Satellite(system: .gps, number: 5)]))
    #expect(await !lines(fourth, until: "GPS").contains { $0.contains("Galileo") })
    // Nothing of all that is for a reader who has not asked.
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    #expect(await !lines(plain, until: "location").contains { $0.contains("satellites") })
    await stage.close()
  }
}
