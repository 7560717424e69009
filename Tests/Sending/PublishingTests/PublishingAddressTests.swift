import Platform
import TestSupport
import Testing

@testable import Publishing

@Suite(.inTurn) struct PublishingAddressTests {
  @Test(arguments: [
    ("mqtt://broker", "mqtt://broker:1883"), ("mqtts://broker", "mqtts://broker:8883"),
    ("mqtt://192.0.2.7:1884", "mqtt://192.0.2.7:1884"), ("mqtts://[2001:db8::1]:9", "mqtts://[2001:db8::1]:9"),
    ("mqtt://[::1]", "mqtt://[::1]:1883"), ("mqtt://broker/", "mqtt://broker:1883"),
  ])
  func readsABroker(text: String, description: String) throws {
    #expect(try PublishingAddress(parsing: text).description == description)
    #expect(try PublishingAddress(parsingBroker: text).peer == .broker)
  }

  @Test(arguments: [
    ("broker:1883", "begins with mqtt:// or mqtts://"), ("http://broker", "begins with mqtt://"),
    ("", "begins with mqtt://"), ("mqtt://", "no host"), ("mqtt://:1883", "no host"), ("mqtt://[::1", "no host"),
    ("mqtt://a b", "no host"), ("mqtt://a/b", "the topic is a setting"), ("mqtt://a:1883/b", "the topic is a setting"),
    ("mqtt://[::1]/b", "the topic is a setting"), ("mqtt://a//", "the topic is a setting"), ("mqtt:///", "no host"),
    ("mqtt://::1", "no host"), ("mqtt://broker:0", "'0' is not a port"),
    ("mqtt://broker:65536", "'65536' is not a port"),
    ("mqtt://broker:+1", "'+1' is not a port"), ("mqtt://broker:", "'' is not a port"),
    ("mqtts://user:secret@broker", "no user and no password"),
  ])
  func refusesABroker(text: String, part: String) {
    let error = #expect(throws: AddressError.self) { try PublishingAddress(parsingBroker: text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("secret") == false)
  }

  @Test(arguments: [
    ("https://example.org", "https://example.org:443/", nil),
    ("http://example.org", "http://example.org:80/", nil),
    ("https://car@example.org:8443/pub", "https://example.org:8443/pub", "car"),
    ("http://[::1]:8083/pub?u=ann&d=car", "http://[::1]:8083/pub?u=ann&d=car", nil),
    ("https://example.org?key=a", "https://example.org:443/?key=a", nil),
    ("https://ann%40example.org@host/", "https://host:443/", "ann@example.org"),
    ("https://example.org/a@b:c/d", "https://example.org:443/a@b:c/d", nil),
  ])
  func readsAServer(text: String, url: String, user: String?) throws {
    let address = try PublishingAddress(parsing: text)
    #expect(address.url == url)
    #expect(address.user == user)
    #expect(address.peer == .server)
  }

  @Test(arguments: [
    ("example.org", "HTTP server with http"), ("ftp://example.org", "HTTP server with http"), ("https://", "no host"),
    ("https:///pub", "no host"), ("https://two words/", "no host"), ("https://::1/", "no host"),
    ("https://host:0/", "'0' is not a port"), ("https://host:70000", "'70000' is not a port"),
    ("https://ann:secret@host/", "no password"), ("https://@host/", "user's name"),
    ("https://a%3Ab@host/", "user's name"),
    ("https://a%0Ab@host/", "user's name"), ("https://a%+5@host/", "user's name"), ("https://a%4@host/", "user's name"),
    ("https://host/a b", "the path"), ("https://host/#a", "the path"), ("https://host/\u{E9}", "the path"),
    ("https://host/a\nb", "the path"),
  ])
  func refusesAServer(text: String, part: String) {
    let error = #expect(throws: AddressError.self) { try PublishingAddress(parsing: text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("secret") == false)
  }

  @Test func messagesDoNotContainThePath() throws {
    let address = try PublishingAddress(parsing: "https://ann@example.org/webhook/secret?key=secret")
    #expect("\(address)" == "https://example.org:443")
  }
}
