import ArgumentParser
import Publishing
import TestSupport
import Testing

@testable import rxlocationd

/// Several addresses to publish to, and what belongs to which.
@Suite(.inTurn) struct PublishingOptionsTests {
  private func options(_ words: String) throws -> PublishingSettings {
    try Settings.parse(words.split(separator: " ").map(String.init)).publishing
  }

  @Test func aFileIsForItsHostOrForThoseThatHaveNone() throws {
    let options = try options(
      "--publish mqtts://broker --publish https://ann@server/a --publish https://other/ --publish-user car "
        + "--publish-ca broker=own.pem --publish-ca all.pem --publish-certificate a=b.pem --publish-key a=b.key")
    #expect(options.configurations.map(\.session.authorities) == ["own.pem", "all.pem", "all.pem"])
    // No host is called so, and a file's name may hold '='.
    #expect(options.configurations.map(\.session.certificate) == ["a=b.pem", "a=b.pem", "a=b.pem"])
    #expect(options.configurations.map(\.session.user) == ["car", "ann", nil])
    let devices = options.configurations.map { $0.topic.split(separator: "/").dropLast().last ?? "" }
    #expect(devices.prefix(2) == ["car", "ann"])
  }

  @Test func aReaderIsNamedSoThatNothingIsLostWhenAnotherComesOrGoes() throws {
    func names(_ addresses: String...) throws -> [String] {
      PublishingDestination.readerNames(try addresses.map { try PublishingAddress(parsing: $0) })
    }
    #expect(try names("mqtt://a") == ["publish"])
    #expect(try names("https://s/pub", "mqtt://a", "mqtts://b") == ["publish s:443", "publish", "publish b:8883"])
    #expect(try names("https://s/pub?key=secret") == ["publish s:443"])
    #expect(
      try names("https://s/1", "https://s/2", "https://s/3") == ["publish s:443", "publish s:443 2", "publish s:443 3"])
    #expect(try names("http://s:1/", "http://s:12/") == ["publish s:1", "publish s:12"])
  }
}
