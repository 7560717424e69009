import NIOCore
import NIOEmbedded
import Platform

@testable import Sockets

/// A region socket and its readers, of which some are slow, silent, or gone in the middle of a record.
@MainActor
final class SocketReaders {
  private let world: World
  private let loop = EmbeddedEventLoop()
  private let broadcast: Broadcast<Int>
  private var readers: [Reader] = []
  private var last = 0

  /// A reader, and what it received: the numbers from the first one on, with records of losses between them.
  private final class Reader {
    let channel: EmbeddedChannel
    let network = Network()
    var next: Int?

    init(_ channel: EmbeddedChannel) { self.channel = channel }
  }

  /// A network that takes nothing while the reader is silent.
  private final class Network: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var isSilent = false
    var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
    func flush(context: ChannelHandlerContext) { if !isSilent { context.flush() } }
  }

  init(_ world: World) {
    self.world = world
    var options = BroadcastOptions()
    (options.byteLimit, options.readerLimit) = (4096, 8)
    broadcast = Broadcast(
      on: NetworkLoop(on: loop), value: 0, options: options,
      greeting: { value, _ in ByteBuffer(string: "\(value)\n") },
      lossRecord: { ByteBuffer(string: "lost \($0)\n") }, frame: { NIOAny($0) })
    come()
  }

  /// A region update.
  func update() {
    last += 1
    advance()
    broadcast.update { [last] value, messages in
      value = last
      Array("\(last)\n".utf8).withUnsafeBytes { messages.append($0) }
    }
    advance()
  }

  private var time = 0.0

  /// Readers come, fall silent, wake up and leave.
  private func come() {
    world.after(world.number(1..<2000)) { [self] in come() }
    if world.isLucky(0.5), let reader = readers.randomElement(using: &world.random) {
      if world.isLucky(0.3) {
        _ = reader.channel.close()
      } else {
        reader.network.isSilent.toggle()
        if !reader.network.isSilent { reader.network.context?.flush() }
      }
    } else {
      let channel = EmbeddedChannel(loop: loop)
      let reader = Reader(channel)
      let reading = broadcast.reader()
      guard (try? channel.pipeline.syncOperations.addHandlers([reader.network, reading])) != nil,
        let address = try? SocketAddress(unixDomainSocketPath: "/reader")
      else { return }
      _ = channel.connect(to: address)
      readers.append(reader)
    }
    advance()
  }

  private func advance() {
    loop.advanceTime(by: .nanoseconds(Int64((world.now - time) * 1e9)))
    time = world.now
    for reader in readers { read(reader) }
    readers.removeAll { !$0.channel.isActive }
    let account = broadcast.statistics.account
    world.check(account.waiting >= 0, "\(account.waiting) region records wait for readers")
  }

  /// A reader's records follow each other, and it is told how many it has lost.
  private func read(_ reader: Reader) {
    while let bytes = try? reader.channel.readOutbound(as: ByteBuffer.self) {
      for line in String(buffer: bytes).split(separator: "\n") {
        if line.hasPrefix("lost ") {
          reader.next = reader.next.map { $0 + (Int(line.dropFirst(5)) ?? 0) }
        } else if let number = Int(line) {
          world.check(reader.next == nil || reader.next == number, "a reader got \(number), not \(reader.next ?? 0)")
          reader.next = number + 1
        }
      }
    }
  }

  /// After some time without faults, each reader that reads has everything, and the others are gone.
  func checkDelivery() {
    for reader in readers where !reader.network.isSilent { reader.network.context?.flush() }
    advance()
    for reader in readers where !reader.network.isSilent {
      world.check(reader.next == last + 1, "a reader has \((reader.next ?? 0) - 1) of \(last) region records")
    }
  }
}
