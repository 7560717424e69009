import Publishing
import Testing

/// Topics in messages.
@Suite struct MQTTTextTests {
  @Test func aLongTopicIsShortenedInMessages() {
    #expect(MQTTText.quoted("owntracks/ann/car") == "'owntracks/ann/car'")
    let topic = "owntracks/" + String(repeating: "x", count: 60_000) + "/car"
    let text = MQTTText.quoted(topic)
    #expect(text.hasPrefix("'owntracks/xxx") && text.hasSuffix("xxx/car' (60014 bytes)") && text.utf8.count < 200)
  }

  /// To Swift such a text is a single character.
  @Test func aTopicOfCombiningMarksIsShortened() {
    #expect(MQTTText.quoted("a" + String(repeating: "\u{301}", count: 30_000)).utf8.count < 400)
  }
}
