import Glibc
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Serving

/// What clients send, in virtual time.
@Suite(.inTurn) struct RegionInputHandlerTests {
  private let channel = EmbeddedChannel()

  init() throws { try channel.pipeline.syncOperations.addHandler(RegionInputHandler()) }

  private func receive(_ count: Int) throws { try channel.writeInbound(ByteBuffer(repeating: 0, count: count)) }

  /// Whether the client's bytes are read; `nil` while nobody has said.
  private var reads: Bool? {
    channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
  }

  @Test func aFloodIsReadSlowlyAndALittleIsNot() throws {
    try receive(65_536)
    #expect(reads == nil)
    for _ in 0..<2 {
      try receive(1)
      #expect(reads == false)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
      #expect(reads == false)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
      #expect(reads == true)
      // The next second begins at nothing.
      try receive(65_536)
      #expect(reads == true)
    }
  }

  @Test func nothingGoesAnyFurtherAndAnErrorEndsTheConnection() throws {
    _ = channel.connect(to: try SocketAddress(unixDomainSocketPath: "/reader"))
    try receive(10)
    #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
    #expect(channel.isActive)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
    #expect(!channel.isActive)
  }
}
