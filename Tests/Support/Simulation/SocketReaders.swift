import NIOCore
import Platform

@testable import Serving

/// A region socket's broadcast and its readers, of which some are slow, silent, or gone in the middle of a record.
@MainActor
final class SocketReaders {
  private let world: World
  private var state: BroadcastState<Int>
  private var readers: [Int: Reader] = [:]
  private var (last, lastReader, received) = (0, 0, 0)

  /// A reader, and what its connection holds.
  private struct Reader {
    var isSilent = false
    /// The bytes that it has not read, and how many messages they complete.
    var unread: [(bytes: ByteBuffer, messages: Int)] = []
    /// The number that it has to get next; `nil` before its greeting.
    var next: Int?
  }

  init(_ world: World) {
    self.world = world
    var options = BroadcastOptions()
    (options.byteLimit, options.readerLimit) = (4096, 8)
    state = BroadcastState(options: options, lossRecord: { ByteBuffer(string: "lost \($0)\n") })
    change()
  }

  /// A region update.
  func update() {
    last += 1
    let (_, needsFlush) = state.publish { [last] ring in
      Array("\(last)\n".utf8).withUnsafeBytes { ring.append($0) }
    }
    if needsFlush { flush() }
  }

  private func flush() {
    state.beginFlush()
    for id in readers.keys.sorted() { pump(id) }
    let account = state.statistics.account
    world.check(account.waiting >= 0 && account.waiting <= 8 * 4096, "\(account.waiting) region records wait")
  }

  /// Readers come, fall silent, wake up and leave.
  private func change() {
    world.after(world.number(1..<2000)) { [self] in change() }
    if world.isLucky(0.5), let id = readers.keys.sorted().randomElement(using: &world.random) {
      if world.isLucky(0.3) { return leave(id) }
      readers[id]?.isSilent.toggle()
      return pump(id)
    }
    lastReader += 1
    guard case .admitted = state.add(lastReader, from: nil) else { return }
    readers[lastReader] = Reader()
    pump(lastReader)
  }

  private func leave(_ id: Int) {
    let undelivered = readers.removeValue(forKey: id)?.unread.reduce(0) { $0 + $1.messages } ?? 0
    state.leave(id, .unwanted, undelivered: undelivered)
  }

  /// Sends what the reader's connection accepts, and lets the reader read.
  private func pump(_ id: Int) {
    while let reader = readers[id] {
      if !reader.isSilent { read(id) }
      // A silent reader's buffers are full after some messages.
      guard readers[id].map({ $0.unread.count < 4 }) == true else { return }
      switch state.next(for: id, at: world.now) {
      case .greet:
        let next = state.ring.next
        let bytes = ByteBuffer(string: "\(last)\n")
        state.greeted(id, with: bytes, before: next, at: world.now)
        readers[id]?.unread.append((bytes, 0))
      case .send(let bytes, let messages): readers[id]?.unread.append((bytes, messages))
      case .close: return leave(id)
      case .wait: return
      }
    }
  }

  /// A reader's records follow each other, and it is told how many it has lost.
  private func read(_ id: Int) {
    guard var reader = readers[id] else { return }
    for (bytes, messages) in reader.unread {
      for line in String(buffer: bytes).split(separator: "\n") {
        if line.hasPrefix("lost ") {
          reader.next = reader.next.map { $0 + (Int(line.dropFirst(5)) ?? 0) }
        } else if let number = Int(line) {
          world.check(reader.next == nil || reader.next == number, "a reader got \(number), not \(reader.next ?? 0)")
          reader.next = number + 1
        }
      }
      received += messages
    }
    reader.unread = []
    readers[id] = reader
  }

  /// Some time after the last fault, readers that read have everything, and the account says what they got.
  func checkDelivery() {
    for id in readers.keys.sorted() {
      readers[id]?.isSilent = false
      pump(id)
      world.check(readers[id]?.next == last + 1, "a reader has less than \(last) region records")
    }
    let account = state.statistics.account
    world.check(account.waiting == 0, "\(account.waiting) region records are in no account")
    world.check(account.written == received, "readers got \(received) region records, not \(account.written)")
  }
}
