import NIOCore
import Serving
import TestSupport
import Testing

@Suite(.inTurn) struct MessageRingTests {
  private func append(_ text: String, to ring: inout MessageRing) {
    Array(text.utf8).withUnsafeBytes { ring.append($0) }
  }

  private func read(
    _ ring: MessageRing, from cursor: Int, wanting topics: UInt8 = .max, limit: Int = .max
  ) -> (text: String, next: Int) {
    var buffer = ByteBuffer()
    let next = ring.copy(from: cursor, wanting: topics, limit: limit, to: &buffer)
    return (String(buffer: buffer), next)
  }

  @Test func itHoldsExactlyAsManyBytesAsItWasGiven() {
    var ring = MessageRing(byteLimit: 9, messageLimit: 100)
    for text in ["abc", "def", "ghi"] { append(text, to: &ring) }
    #expect(ring.oldest == 0 && read(ring, from: 0) == ("abcdefghi", 3))
    append("j", to: &ring)
    #expect(ring.oldest == 1 && read(ring, from: 1) == ("defghij", 4))
    append("kl", to: &ring)
    #expect(ring.oldest == 1 && read(ring, from: 1) == ("defghijkl", 5), "the end goes on at the beginning")
  }

  @Test func itHoldsExactlyAsManyMessagesAsItWasGiven() {
    var ring = MessageRing(byteLimit: 100, messageLimit: 3)
    for text in ["a", "b", "c"] { append(text, to: &ring) }
    #expect(ring.oldest == 0 && read(ring, from: 0) == ("abc", 3))
    append("d", to: &ring)
    #expect(ring.oldest == 1 && read(ring, from: 1) == ("bcd", 4))
  }

  @Test func oneMessageMayFillItAndALargerOneIsLost() {
    var ring = MessageRing(byteLimit: 4, messageLimit: 3)
    append("x", to: &ring)
    append("abcd", to: &ring)
    #expect(ring.oldest == 1 && read(ring, from: 1) == ("abcd", 2))
    append("abcde", to: &ring)
    #expect(ring.oldest == 3 && ring.next == 3)
    append("efgh", to: &ring)
    #expect(read(ring, from: 3) == ("efgh", 4))
  }

  @Test func aCopyTakesWhatItsLimitHoldsAndOneAtLeast() {
    var ring = MessageRing(byteLimit: 100, messageLimit: 10)
    for text in ["abc", "def", "ghi"] { append(text, to: &ring) }
    #expect(read(ring, from: 0, limit: 6) == ("abcdef", 2))
    #expect(read(ring, from: 0, limit: 5) == ("abc", 1))
    #expect(read(ring, from: 1, limit: 1) == ("def", 2))
    #expect(read(ring, from: 3) == ("", 3))
  }

  @Test func aTopicIsForThoseWhoWantItAndCountedByItself() {
    var ring = MessageRing(byteLimit: 100, messageLimit: 4)
    for (number, topic) in [0, 1, 2, 0, 1, 0].enumerated() {
      Array("\(number)".utf8).withUnsafeBytes { ring.append($0, topic: UInt8(topic)) }
    }
    // The first two messages, of the topics 0 and 1, are gone.
    #expect(read(ring, from: 2, wanting: 0) == ("35", 6) && read(ring, from: 2, wanting: 1) == ("345", 6))
    #expect(read(ring, from: 2, wanting: 3) == ("2345", 6) && read(ring, from: 4, wanting: 0, limit: 1) == ("", 5))
    #expect(ring.appended == MessageTally(3, 2, 1, 0) && ring.removed == MessageTally(1, 1, 0, 0))
    #expect(ring.tally(before: 2) == ring.removed && ring.tally(before: 5) == MessageTally(2, 2, 1, 0))
    #expect(ring.tally(before: 6) == ring.appended && ring.appended.count(wanting: 1) == 5)
  }

  @Test func whatIsForgottenKeepsItsNumber() {
    var ring = MessageRing(byteLimit: 6, messageLimit: 3)
    for text in ["abc", "def"] { append(text, to: &ring) }
    ring.skip()
    #expect(ring.oldest == 3 && ring.next == 3)
    append("ghi", to: &ring)
    append("jkl", to: &ring)
    #expect(ring.oldest == 3 && read(ring, from: 3) == ("ghijkl", 5), "there is room for all of them")
  }
}
