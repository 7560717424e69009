import ArgumentParser
import Collecting
import Logging
import Platform
import Publishing
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "mosquitto is not installed"))
struct DeviceFeedTests {
  @Test func followsDevicesWhileTheMainActorIsBusy() async throws {
    let broker = try RealBroker()
    let session = SessionConfiguration(
      address: try PublishingAddress(parsingBroker: "mqtt://127.0.0.1:\(broker.port)"), clientID: "feed")
    let logger = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
    let feed = DeviceFeed(
      Collector.Configuration(session: session, filters: [try #require(TopicFilter("owntracks/+/+"))]),
      try CollectSettings.parse(["--format", "none"]), logger: logger, readSettings: { [] })
    try await feed.open(Outputs(name: "", isReplay: false, logger: logger, onEnd: {}))
    try await feed.start(ready: {})
    try #require(await eventually { broker.log.contains("owntracks/+/+") })
    // The main actor stays busy from here to the stop.
    for count in 1...3 {
      try broker.publish(
        #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_778_112_000 + count)}"#, on: "owntracks/ann/d\(count)")
      let hasCome = eventuallyBlocking { feed.summary?.contains("of \(counted(count, "message"))") == true }
      try #require(hasCome, "\(feed.summary ?? "")")
    }
    #expect(eventuallyBlocking { feed.summary?.hasPrefix("3 devices") == true }, "\(feed.summary ?? "")")
    await feed.stop()
    #expect(feed.summary?.hasPrefix("3 devices") == true)
  }
}
