import Glibc
import NIOCore
import NIOEmbedded
import SystemPackage
import Testing
import TestSupport

@testable import Serving

@Suite(.inTurn) struct AcceptErrorHandlerTests {
  private let channel = EmbeddedChannel()
  private let said = Recorder<Errno>()

  init() throws { try channel.pipeline.syncOperations.addHandler(AcceptErrorHandler(onError: said.record)) }

  private func fail(_ code: Int32) { channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }

  /// Whether the loop looks for connections; `nil` while nobody has said.
  private var accepts: Bool? {
    channel.options.first { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
  }

  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM]) func withoutADescriptorASecondPassesBeforeTheNextTry(code: Int32)
  {
    fail(code)
    #expect(accepts == false && said.values == [Errno(rawValue: code)])
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
    #expect(accepts == false)
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(accepts == true)
  }

  @Test func whatLastsIsSaidOnceAMinute() {
    for _ in 0..<59 {
      fail(EMFILE)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(said.values.count == 1)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    fail(EMFILE)
    fail(EMFILE)
    #expect(said.values.count == 2)
  }

  @Test func aConnectionThatIsGoneBeforeItIsAcceptedIsNoneOfIt() {
    for code in [ECONNABORTED, EINTR, EPROTO] { fail(code) }
    channel.pipeline.fireErrorCaught(SupportError("another"))
    #expect(accepts == nil && said.values.isEmpty)
  }
}
