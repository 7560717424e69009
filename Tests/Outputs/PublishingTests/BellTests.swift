import Glibc
import Testing

@testable import Publishing

/// What wakes the publisher's thread for new rows.
@Suite struct BellTests {
  private func isReadable(_ bell: Bell) -> Bool {
    var entry = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test func howeverOftenItRingsItIsHeardOnce() throws {
    let bell = try Bell()
    #expect(!isReadable(bell) && !bell.reset())
    for _ in 0..<3 {
      for _ in 0..<100 { bell.ring() }
      #expect(isReadable(bell) && bell.reset())
      #expect(!isReadable(bell) && !bell.reset())
    }
  }
}
