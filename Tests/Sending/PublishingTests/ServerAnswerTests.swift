import Testing

@testable import Publishing

/// What a server's answers mean, and what it is sent.
@Suite struct ServerAnswerTests {
  @Test func aStatusConcernsTheMessageTheAddressOrTheMoment() {
    #expect(ServerAnswer(status: 200) == .accepted && ServerAnswer(status: 204) == .accepted)
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
