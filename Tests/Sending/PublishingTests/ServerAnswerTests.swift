import TestSupport
import Testing

@testable import Publishing

@Suite(.inTurn) struct ServerAnswerTests {
  private func kind(_ answer: ServerAnswer) -> String {
    switch answer {
    case .accepted: "accepted"
    case .refused(let refusal): refusal.isOfThisMessage ? "this message" : "any message"
    case .failed(.login): "login"
    case .failed(.wrongAddress): "address"
    case .failed(.busy(_, let wait)): "busy for \(wait ?? 0)"
    case .failed: "failed"
    }
  }

  @Test func aStatusConcernsTheMessageTheAddressOrTheMoment() {
    for (expected, statuses) in [
      ("accepted", [200, 204]), ("this message", [400, 413, 422]), ("login", [401, 403, 407]),
      ("address", [301, 302, 307, 402, 404, 405, 410, 415, 451, 499]),
      ("busy for 7", [408, 429, 500, 502, 503, 504, 599]),
    ] {
      for status in statuses { #expect(kind(ServerAnswer(status: status, retryAfter: 7)) == expected, "\(status)") }
    }
    #expect(kind(ServerAnswer(status: 503, retryAfter: .max)) == "busy for 3600")
  }

  @Test func theTopicIsAMemberOfTheMessage() {
    var message = Array(#"{"_type":"lwt","tst":1}"#.utf8)
    ServerConnection.add(topic: #"owntracks/a"b/c"#, to: &message)
    #expect(String(decoding: message, as: UTF8.self) == #"{"_type":"lwt","tst":1,"topic":"owntracks/a\"b/c"}"#)
  }
}
