#if Macros
  import Rx
  import RxBinding
  import RxMacros
  import Testing

  /// A proxy that the macro wrote behaves as one that is written by hand.
  @MainActor
  @Suite struct WrittenProxyTests {
    private let uploader = Uploader()

    @Test func everyMethodIsObservedWithoutTheObject() {
      let sent = StreamLog(uploader.rx.didSend)
      let sentOf = StreamLog(uploader.rx.didSendOf.map { "\($0.bytes) of \($0.total)" })
      let finished = StreamLog(uploader.rx.didFinish)
      let retries = StreamLog(uploader.rx.shouldRetryAfter)
      let resets = StreamLog(uploader.rx.reset)
      let defaults = StreamLog(uploader.rx.default.map { "\($0.0) \($0.in)" })
      let delegate = uploader.delegate
      delegate?.uploader(uploader, didSend: 1)
      delegate?.uploader(uploader, didSend: 2, of: 3)
      delegate?.uploaderDidFinish(uploader)
      _ = delegate?.uploader(uploader, shouldRetryAfter: 4)
      delegate?.reset()
      delegate?.uploader(uploader, default: 5, in: "x")
      #expect(sent.elements == [1])
      #expect(sentOf.elements == ["2 of 3"])
      #expect(finished.elements.count == 1)
      #expect(retries.elements == [4])
      #expect(resets.elements.count == 1)
      #expect(defaults.elements == ["5 x"])
    }

    @Test func answersAreStatedOnesWithoutADelegate() {
      let delegate = uploader.rx.delegate
      #expect(delegate.uploader(uploader, shouldRetryAfter: 1) == true)
      #expect(delegate.uploaderName(uploader) == nil)
      #expect(delegate.uploaderParts(uploader) == [])
    }

    @Test func theOrderIsTheHandWrittenOne() {
      final class Reader: UploaderDelegate {
        var note: (String) -> Void = { _ in }
        func uploader(_ uploader: Uploader, didSend bytes: Int) { note("delegate \(bytes)") }
        func uploader(_ uploader: Uploader, didSend bytes: Int, of total: Int) {}
        func uploaderDidFinish(_ uploader: Uploader) {}
        func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool { false }
        func uploaderName(_ uploader: Uploader) -> String? { "name" }
        func uploaderParts(_ uploader: Uploader) -> [Int] { [1] }
        func uploader(_ uploader: Uploader, whenDone: @escaping @Sendable (Bool) -> Void) { whenDone(true) }
        func uploader(_ uploader: Uploader, default: Int, in: String) {}
      }
      let reader = Reader()
      var order: [String] = []
      reader.note = { order.append($0) }
      let key = StreamLog(uploader.rx.delegate.sentMessage(.didSend)) { order.append("before \($0.bytes)") }
      let stream = StreamLog(uploader.rx.didSend) { order.append("after \($0)") }
      #expect(uploader.rx.delegate.isObserved(.didSend))
      #expect(!uploader.rx.delegate.isObserved(.didFinish))
      let installation = uploader.rx.setDelegate(reader)
      uploader.delegate?.uploader(uploader, didSend: 1)
      #expect(order == ["before 1", "delegate 1", "after 1"])
      #expect(uploader.delegate?.uploader(uploader, shouldRetryAfter: 1) == false)
      #expect(uploader.delegate?.uploaderName(uploader) == "name")
      installation.dispose()
      #expect(uploader.delegate?.uploader(uploader, shouldRetryAfter: 1) == true)
      withExtendedLifetime((key, stream)) {}
    }

    /// It has a default implementation, so a proxy that left it out would compile, too.
    @Test func aMethodWithADefaultIsForwarded() {
      final class Resetter: OtherUploaderMethods {
        var resets = 0
        override func reset() { resets += 1 }
      }
      let resetter = Resetter()
      uploader.delegate = resetter
      uploader.rx.delegate.reset()
      #expect(resetter.resets == 1)
    }

    @Test func aClosureIsObservedAndForwarded() {
      let closures = StreamLog(uploader.rx.whenDone)
      uploader.delegate?.uploader(uploader, whenDone: { _ in })
      #expect(closures.elements.count == 1)
    }

    @Test func aProtocolOffTheMainActorAndAPrivateOneHaveProxies() {
      let parser = TextParser()
      let found = StreamLog(parser.rx.found)
      parser.delegate?.parser(parser, found: "a")
      #expect(found.elements == ["a"])
      #expect(parser.delegate?.parserShouldStop(parser) == false)
      let door = Door()
      let opened = StreamLog(door.rx.didOpen)
      door.delegate?.doorDidOpen(door)
      #expect(opened.elements.count == 1)
    }

    @Test func streamsCompleteWithTheObject() {
      var uploader: Uploader? = Uploader()
      weak let gone = uploader
      let log = (uploader?.rx.didSend).map { StreamLog($0) }
      uploader = nil
      #expect(gone == nil)
      #expect(log?.completions == 1)
    }
  }

  /// A delegate of every kind of method.
  @DelegateProxy(of: Uploader.self)
  @MainActor
  package protocol UploaderDelegate: AnyObject {
    func uploader(_ uploader: Uploader, didSend bytes: Int)
    func uploader(_ uploader: Uploader, didSend bytes: Int, of total: Int)
    func uploaderDidFinish(_ uploader: Uploader)
    @Answer(true) func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool
    func uploaderName(_ uploader: Uploader) -> String?
    @Answer([]) func uploaderParts(_ uploader: Uploader) -> [Int]
    func uploader(_ uploader: Uploader, whenDone: @escaping @Sendable (Bool) -> Void)
    func uploader(_ uploader: Uploader, default: Int, in: String)
    func reset()
  }

  extension UploaderDelegate {
    package func reset() {}
  }

  @MainActor
  package final class Uploader: DelegateProxyHolder, HasDelegateProxy {
    package typealias Proxy = UploaderDelegateProxy
    package let delegateProxies = DelegateProxies()
    package weak var delegate: (any UploaderDelegate)? {
      didSet { delegateProxies.delegateDidChange() }
    }
  }

  private class OtherUploaderMethods: UploaderDelegate {
    func uploader(_ uploader: Uploader, didSend bytes: Int) {}
    func uploader(_ uploader: Uploader, didSend bytes: Int, of total: Int) {}
    func uploaderDidFinish(_ uploader: Uploader) {}
    func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool { false }
    func uploaderName(_ uploader: Uploader) -> String? { nil }
    func uploaderParts(_ uploader: Uploader) -> [Int] { [] }
    func uploader(_ uploader: Uploader, whenDone: @escaping @Sendable (Bool) -> Void) {}
    func uploader(_ uploader: Uploader, default: Int, in: String) {}
    func reset() {}
  }

  @DelegateProxy(of: TextParser.self)
  protocol TextParserDelegate: AnyObject {
    func parser(_ parser: TextParser, found text: String)
    @Answer(false) func parserShouldStop(_ parser: TextParser) -> Bool
  }

  @MainActor
  final class TextParser: HasDelegateProxy {
    typealias Proxy = TextParserDelegateProxy
    weak var delegate: (any TextParserDelegate)?
  }

  @DelegateProxy(of: Door.self)
  @MainActor
  private protocol DoorDelegate: AnyObject {
    func doorDidOpen(_ door: Door)
  }

  @MainActor
  private final class Door: HasDelegateProxy {
    typealias Proxy = DoorDelegateProxy
    weak var delegate: (any DoorDelegate)?
  }
#endif
