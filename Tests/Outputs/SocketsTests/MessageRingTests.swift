import NIOCore
import Testing

@testable import Sockets

/// What a ring keeps and hands out exactly at its limits.
@Suite struct MessageRingTests {
  private func ring(bytes: Int, messages: Int, _ texts: String...) -> MessageRing {
    var ring = MessageRing(byteLimit: bytes, messageLimit: messages)
    for text in texts { Array(text.utf8).withUnsafeBytes { ring.append($0) } }
    return ring
  }

  private func copy(_ ring: MessageRing, from cursor: Int, limit: Int) -> (next: Int, text: String) {
    var buffer = ByteBuffer()
    let next = ring.copy(from: cursor, limit: limit, to: &buffer)
    return (next, String(buffer: buffer))
  }

  @Test(arguments: [(5, 1, "abc"), (6, 2, "abcdef"), (7, 2, "abcdef"), (9, 3, "abcdefghi"), (1, 1, "abc")])
  func aCopyOfExactlyItsLimitIsWhole(limit: Int, next: Int, text: String) {
    let found = copy(ring(bytes: 100, messages: 10, "abc", "def", "ghi"), from: 0, limit: limit)
    #expect(found.next == next && found.text == text)
  }

  @Test func whatFitsExactlyIsKept() {
    #expect(ring(bytes: 6, messages: 10, "abc", "def").oldest == 0)
    #expect(ring(bytes: 5, messages: 10, "abc", "def").oldest == 1)
    #expect(ring(bytes: 100, messages: 2, "abc", "def").oldest == 0)
    #expect(ring(bytes: 100, messages: 1, "abc", "def").oldest == 1)
    let whole = ring(bytes: 3, messages: 10, "abc")
    #expect(whole.oldest == 0 && copy(whole, from: 0, limit: 3).text == "abc")
    let tooLong = ring(bytes: 3, messages: 10, "abc", "defg")
    #expect(tooLong.oldest == 2 && tooLong.next == 2)
  }

  @Test func aMessageAroundTheEndIsOne() {
    let around = ring(bytes: 8, messages: 10, "abcde", "fgh", "ijklm")
    #expect(around.oldest == 1 && copy(around, from: 1, limit: 100).text == "fghijklm")
    #expect(copy(around, from: 0, limit: 100).next == 0, "it is not kept any more")
    #expect(copy(around, from: 3, limit: 100) == (3, ""))
  }
}
