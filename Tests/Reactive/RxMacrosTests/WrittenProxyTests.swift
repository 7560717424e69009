#if Macros
  import Rx
  import RxBinding
  import RxMacros
  import TestSupport
  import Testing

  /// A proxy that the macro wrote behaves as one that is written by hand.
  @MainActor @Suite(.inTurn) struct WrittenProxyTests {
    private let loader = Loader()

    @Test func everyMethodIsObservedWithoutTheObject() {
      let sent = StreamLog(loader.rx.didSend)
      let sentOf = StreamLog(loader.rx.didSendOf.map { "\($0.bytes) of \($0.total)" })
      let finished = StreamLog(loader.rx.didFinish)
      let retries = StreamLog(loader.rx.shouldRetryAfter)
      let resets = StreamLog(loader.rx.reset)
      let defaults = StreamLog(loader.rx.default.map { "\($0.0) \($0.in)" })
      let delegate = loader.delegate
      delegate?.loader(loader, didSend: 1)
      delegate?.loader(loader, didSend: 2, of: 3)
      delegate?.loaderDidFinish(loader)
      _ = delegate?.loader(loader, shouldRetryAfter: 4)
      delegate?.reset()
      delegate?.loader(loader, default: 5, in: "x")
      #expect(sent.elements == [1])
      #expect(sentOf.elements == ["2 of 3"])
      #expect(finished.elements.count == 1)
      #expect(retries.elements == [4])
      #expect(resets.elements.count == 1)
      #expect(defaults.elements == ["5 x"])
    }

    @Test func answersAreStatedOnesWithoutADelegate() {
      let delegate = loader.rx.delegate
      #expect(delegate.loader(loader, shouldRetryAfter: 1) == true)
      #expect(delegate.loaderName(loader) == nil)
      #expect(delegate.loaderParts(loader) == [])
    }

    @Test func theOrderIsTheHandWrittenOne() {
      final class Reader: LoaderDelegate {
        var note: (String) -> Void = { _ in }
        func loader(_ loader: Loader, didSend bytes: Int) { note("delegate \(bytes)") }
        func loader(_ loader: Loader, didSend bytes: Int, of total: Int) {}
        func loaderDidFinish(_ loader: Loader) {}
        func loader(_ loader: Loader, shouldRetryAfter seconds: Int) -> Bool { false }
        func loaderName(_ loader: Loader) -> String? { "name" }
        func loaderParts(_ loader: Loader) -> [Int] { [1] }
        func loader(_ loader: Loader, whenDone: @escaping @Sendable (Bool) -> Void) { whenDone(true) }
        func loader(_ loader: Loader, default: Int, in: String) {}
      }
      let reader = Reader()
      var order: [String] = []
      reader.note = { order.append($0) }
      let key = StreamLog(loader.rx.delegate.sentMessage(.didSend)) { order.append("before \($0.bytes)") }
      let stream = StreamLog(loader.rx.didSend) { order.append("after \($0)") }
      #expect(loader.rx.delegate.isObserved(.didSend))
      #expect(!loader.rx.delegate.isObserved(.didFinish))
      let installation = loader.rx.setDelegate(reader)
      loader.delegate?.loader(loader, didSend: 1)
      #expect(order == ["before 1", "delegate 1", "after 1"])
      #expect(loader.delegate?.loader(loader, shouldRetryAfter: 1) == false)
      #expect(loader.delegate?.loaderName(loader) == "name")
      installation.dispose()
      #expect(loader.delegate?.loader(loader, shouldRetryAfter: 1) == true)
      withExtendedLifetime((key, stream)) {}
    }

    /// It has a default implementation, so a proxy that left it out would compile, too.
    @Test func aMethodWithADefaultIsForwarded() {
      final class Resetter: OtherLoaderMethods {
        var resets = 0
        override func reset() { resets += 1 }
      }
      let resetter = Resetter()
      loader.delegate = resetter
      loader.rx.delegate.reset()
      #expect(resetter.resets == 1)
    }

    @Test func aClosureIsObservedAndForwarded() {
      let closures = StreamLog(loader.rx.whenDone)
      loader.delegate?.loader(loader, whenDone: { _ in })
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

    @Test func aMethodMayUseNamesThatTheWrittenClassHas() {
      let locksmith = Locksmith()
      let names = StreamLog(locksmith.rx.proxy)
      let keys = StreamLog(locksmith.rx.didCut)
      locksmith.delegate?.locksmith(locksmith, proxy: "a")
      locksmith.delegate?.locksmith(locksmith, didCut: MethodKey(), with: Arguments())
      #expect(names.elements == ["a"])
      #expect(keys.elements.count == 1)
    }

    // MARK: Methods that throw and wait

    @Test func whatAMethodThrowsComesThroughAndIsObserved() async throws {
      let teller = Teller()
      let bank = Bank()
      let log = StreamLog(
        Observable.merge(
          bank.rx.willPay.map { "pay \($0)" }, bank.rx.rateOf.map { "rate of \($0)" },
          bank.rx.willOpen.map { "open \($0)" }, bank.rx.appraise.map { "appraise \($0)" }))
      let delegate = bank.rx.delegate
      // Without a user's delegate each of them is observed and answers what it says.
      try delegate.bank(bank, willPay: 1)
      #expect(try delegate.bank(bank, rateOf: "EUR") == 0)
      await delegate.bank(bank, willOpen: "A")
      #expect(try await delegate.bank(bank, appraise: "ring") == -1)

      bank.delegate = teller
      try bank.delegate?.bank(bank, willPay: 2)
      #expect(try bank.delegate?.bank(bank, rateOf: "USD") == 3)
      await bank.delegate?.bank(bank, willOpen: "B")
      #expect(try await bank.delegate?.bank(bank, appraise: "coin") == 4)

      teller.refuses = true
      #expect(throws: Refusal.broke) { try delegate.bank(bank, willPay: 3) }
      do throws(Refusal) {
        _ = try delegate.bank(bank, rateOf: "GBP")
        Issue.record("it did not throw")
      } catch {
        #expect(error == .broke)
      }
      await #expect(throws: Refusal.broke) { try await delegate.bank(bank, appraise: "vase") }
      #expect(
        log.elements == [
          "pay 1", "rate of EUR", "open A", "appraise ring", "pay 2", "rate of USD", "open B", "appraise coin", "pay 3",
          "rate of GBP", "appraise vase",
        ])
      #expect(teller.opened == ["B"])
    }

    @Test func anAsynchronousMethodIsObservedWhenItHasFinished() async {
      let (teller, bank) = (Teller(), Bank())
      bank.delegate = teller
      var order: [String] = []
      teller.note = { order.append($0) }
      let before = StreamLog(bank.rx.delegate.sentMessage(.willOpen)) { order.append("before \($0.account)") }
      let after = StreamLog(bank.rx.willOpen) { order.append("after \($0)") }
      await bank.delegate?.bank(bank, willOpen: "A")
      #expect(order == ["before A", "opened A", "after A"])
      withExtendedLifetime((before, after)) {}
    }

    @Test func streamsCompleteWithTheObject() {
      var loader: Loader? = Loader()
      weak let gone = loader
      let log = (loader?.rx.didSend).map { StreamLog($0) }
      loader = nil
      #expect(gone == nil)
      #expect(log?.completions == 1)
    }
  }

  private enum Refusal: Error {
    case broke
  }

  @DelegateProxy(of: Bank.self)
  @MainActor
  private protocol BankDelegate: AnyObject {
    func bank(_ bank: Bank, willPay amount: Int) throws
    @Answer(0) func bank(_ bank: Bank, rateOf currency: String) throws(Refusal) -> Int
    func bank(_ bank: Bank, willOpen account: String) async
    @Answer(-1) func bank(_ bank: Bank, appraise item: String) async throws -> Int
  }

  @MainActor
  private final class Bank: DelegateProxyHolder, HasDelegateProxy {
    typealias Proxy = BankDelegateProxy
    let delegateProxies = DelegateProxies()
    weak var delegate: (any BankDelegate)? { didSet { delegateProxies.delegateDidChange() } }
  }

  private final class Teller: BankDelegate {
    var refuses = false
    var opened: [String] = []
    var note: (String) -> Void = { _ in }

    func bank(_ bank: Bank, willPay amount: Int) throws {
      if refuses { throw Refusal.broke }
    }
    func bank(_ bank: Bank, rateOf currency: String) throws(Refusal) -> Int {
      if refuses { throw .broke }
      return currency.count
    }
    func bank(_ bank: Bank, willOpen account: String) async {
      await Task.yield()
      opened.append(account)
      note("opened \(account)")
    }
    func bank(_ bank: Bank, appraise item: String) async throws -> Int {
      await Task.yield()
      if refuses { throw Refusal.broke }
      return item.count
    }
  }

  /// A delegate of every kind of method.
  @DelegateProxy(of: Loader.self)
  @MainActor
  package protocol LoaderDelegate: AnyObject {
    func loader(_ loader: Loader, didSend bytes: Int)
    func loader(_ loader: Loader, didSend bytes: Int, of total: Int)
    func loaderDidFinish(_ loader: Loader)
    @Answer(true) func loader(_ loader: Loader, shouldRetryAfter seconds: Int) -> Bool
    func loaderName(_ loader: Loader) -> String?
    @Answer([]) func loaderParts(_ loader: Loader) -> [Int]
    func loader(_ loader: Loader, whenDone: @escaping @Sendable (Bool) -> Void)
    func loader(_ loader: Loader, default: Int, in: String)
    func reset()
  }

  extension LoaderDelegate {
    package func reset() {}
  }

  @MainActor
  package final class Loader: DelegateProxyHolder, HasDelegateProxy {
    package typealias Proxy = LoaderDelegateProxy
    package let delegateProxies = DelegateProxies()
    package weak var delegate: (any LoaderDelegate)? { didSet { delegateProxies.delegateDidChange() } }
  }

  private class OtherLoaderMethods: LoaderDelegate {
    func loader(_ loader: Loader, didSend bytes: Int) {}
    func loader(_ loader: Loader, didSend bytes: Int, of total: Int) {}
    func loaderDidFinish(_ loader: Loader) {}
    func loader(_ loader: Loader, shouldRetryAfter seconds: Int) -> Bool { false }
    func loaderName(_ loader: Loader) -> String? { nil }
    func loaderParts(_ loader: Loader) -> [Int] { [] }
    func loader(_ loader: Loader, whenDone: @escaping @Sendable (Bool) -> Void) {}
    func loader(_ loader: Loader, default: Int, in: String) {}
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

  struct MethodKey {}
  struct Arguments {}

  /// Uses names that the written class has, too.
  @DelegateProxy(of: Locksmith.self)
  @MainActor
  protocol LocksmithDelegate: AnyObject {
    func locksmith(_ locksmith: Locksmith, proxy name: String)
    func locksmith(_ locksmith: Locksmith, didCut key: MethodKey, with arguments: Arguments)
  }

  @MainActor
  final class Locksmith: HasDelegateProxy {
    typealias Proxy = LocksmithDelegateProxy
    weak var delegate: (any LocksmithDelegate)?
  }

  @DelegateProxy(of: Door.self)
  @MainActor
  private protocol DoorDelegate: AnyObject {
    func doorDidOpen(_ door: Door)
    // A method that is deprecated is written, too.
    @available(*, deprecated) func doorDidSlam(_ door: Door)
  }

  extension DoorDelegate {
    @available(*, deprecated) fileprivate func doorDidSlam(_ door: Door) {}
  }

  @MainActor
  private final class Door: HasDelegateProxy {
    typealias Proxy = DoorDelegateProxy
    weak var delegate: (any DoorDelegate)?
  }
#endif
