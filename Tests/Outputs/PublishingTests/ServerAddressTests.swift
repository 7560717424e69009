import Testing

@testable import Publishing

/// How an HTTP server is named, and what its answers mean.
@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("https://example.org", "https://example.org:443/", nil),
    ("http://example.org", "http://example.org:80/", nil),
    ("https://car@example.org:8443/pub", "https://example.org:8443/pub", "car"),
    ("http://[::1]:8083/pub?u=ann&d=car", "http://[::1]:8083/pub?u=ann&d=car", nil),
    ("https://example.org?key=a", "https://example.org:443/?key=a", nil),
    ("https://ann%40example.org@host/", "https://host:443/", "ann@example.org"),
    ("https://example.org/a@b:c/d", "https://example.org:443/a@b:c/d", nil),
  ])
  func readsAddresses(text: String, url: String, user: String?) throws {
    let address = try ServerAddress(parsing: text)
    #expect(address.url == url)
    #expect(address.user == user)
  }

  @Test(
    arguments: [
      ("example.org", .noScheme), ("ftp://example.org", .noScheme), ("https://", .noHost), ("https:///pub", .noHost),
      ("https://two words/", .noHost), ("https://::1/", .noHost), ("https://host:0/", .invalidPort("0")),
      ("https://host:70000", .invalidPort("70000")), ("https://ann:secret@host/", .hasPassword),
      ("https://@host/", .invalidUser), ("https://a%3Ab@host/", .invalidUser), ("https://a%0Ab@host/", .invalidUser),
      ("https://a%+5@host/", .invalidUser), ("https://a%4@host/", .invalidUser), ("https://host/a b", .invalidPath),
      ("https://host/#a", .invalidPath), ("https://host/\u{E9}", .invalidPath), ("https://host/a\nb", .invalidPath),
    ] as [(String, ServerAddressError)])
  func refusesWhatIsNone(text: String, error: ServerAddressError) {
    #expect(throws: error) { try ServerAddress(parsing: text) }
    #expect(!error.description.contains("secret"))
  }

  @Test func messagesDoNotHoldThePath() throws {
    let address = try PublishingAddress(parsing: "https://ann@example.org/webhook/secret?key=secret")
    #expect("\(address)" == "https://example.org:443")
  }

  @Test func aStatusIsAboutTheMessageOrTheAddressOrTheMoment() {
    #expect(ServerAnswer(status: 200) == .taken && ServerAnswer(status: 204) == .taken)
    for status in [400, 413, 422] {
      guard case .refused(let refusal) = ServerAnswer(status: status), refusal.isOfThisMessage else {
        Issue.record("\(status) waits")
        continue
      }
    }
    for status in [401, 403, 407] {
      guard case .failed(.login) = ServerAnswer(status: status) else { Issue.record("\(status)"); continue }
    }
    for status in [301, 302, 307, 402, 404, 405, 410, 415, 451, 499] {
      guard case .failed(.wrongAddress) = ServerAnswer(status: status) else { Issue.record("\(status)"); continue }
    }
    for status in [408, 429, 500, 502, 503, 504, 599] {
      guard case .failed(.busy(_, wait: 7)) = ServerAnswer(status: status, retryAfter: 7) else {
        Issue.record("\(status)")
        continue
      }
    }
    guard case .failed(.busy(_, wait: 3600)) = ServerAnswer(status: 503, retryAfter: .max) else {
      Issue.record("a day")
      return
    }
  }

  @Test func theTopicIsAMemberOfTheMessage() {
    var message = Array(#"{"_type":"lwt","tst":1}"#.utf8)
    ServerConnection.add(topic: #"owntracks/a"b/c"#, to: &message)
    #expect(String(decoding: message, as: UTF8.self) == #"{"_type":"lwt","tst":1,"topic":"owntracks/a\"b/c"}"#)
  }
}
