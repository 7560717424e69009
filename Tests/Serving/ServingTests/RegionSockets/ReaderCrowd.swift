import Foundation
import Glibc
import Platform
import Synchronization
import TestSupport

@testable import Serving

/// Many readers of one socket, served by one thread, each of which must receive the same bytes.
final class ReaderCrowd: Sendable {
  private struct State: Sendable {
    var expected: [UInt8] = []
    var received: [Int]
    var isDifferent = false
    var ended = 0
  }

  private let state: Mutex<State>
  private let descriptors: [Int32]

  init(_ count: Int, path: String) throws {
    var connected: [Int32] = []
    for _ in 0..<count {
      // The client ends with its object, its duplicate stays.
      let client = try Client.unix(path)
      let duplicate = dup(client.descriptor)
      guard duplicate >= 0 else { throw POSIXError(.EMFILE) }
      connected.append(duplicate)
    }
    descriptors = connected
    state = Mutex(State(received: [Int](repeating: 0, count: count)))
    try? Platform.Thread.start { [self] in read() }
  }

  func expect(_ text: String) { state.withLock { $0.expected += Array(text.utf8) } }

  /// How many readers have received everything so far, and nothing else.
  var complete: Int {
    state.withLock { state in
      state.isDifferent ? -1 : state.received.count { $0 == state.expected.count }
    }
  }

  var ended: Int { state.withLock { $0.ended } }

  private func read() {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var open = entries.count
    while open > 0, poll(&entries, nfds_t(entries.count), 60_000) > 0 {
      for index in entries.indices where entries[index].revents != 0 {
        let count = Glibc.read(entries[index].fd, &chunk, chunk.count)
        if count <= 0 {
          close(entries[index].fd)
          // poll(2) passes over negative descriptors.
          entries[index].fd = -1
          open -= 1
          state.withLock { $0.ended += 1 }
        } else {
          take(chunk[..<count], index)
        }
      }
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>, _ index: Int) {
    state.withLock { state in
      let start = state.received[index]
      let end = start + bytes.count
      if end > state.expected.count || state.expected[start..<end] != bytes { state.isDifferent = true }
      state.received[index] = end
    }
  }
}
