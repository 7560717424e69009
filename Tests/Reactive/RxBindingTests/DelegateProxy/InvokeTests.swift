import Rx
import RxBinding
import RxTestSupport
import Testing

/// Delegate methods that throw, that are asynchronous, and that are both.
@MainActor
private protocol VaultDelegate: AnyObject {
  func vault(_ vault: Vault, willStore item: String) throws
  func vault(_ vault: Vault, priceOf item: String) throws(Refusal) -> Int
  func vault(_ vault: Vault, fetch item: String) async
  func vault(_ vault: Vault, appraise item: String) async throws -> Int
}

private enum Refusal: Error, Equatable {
  case full
}

@MainActor
private final class Vault: DelegateProxyHolder, HasDelegate, ReactiveCompatible {
  typealias Delegate = any VaultDelegate

  let delegateProxies = DelegateProxies()
  weak var delegate: (any VaultDelegate)? { didSet { delegateProxies.delegateDidChange() } }
}

private final class RxVaultDelegateProxy: DelegateProxy<Vault, any VaultDelegate>, DelegateProxyType, VaultDelegate {
  weak var forwarded: (any VaultDelegate)?

  init(vault: Vault) { super.init(parentObject: vault, delegateProxy: RxVaultDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxVaultDelegateProxy(vault: $0) } }

  func vault(_ vault: Vault, willStore item: String) throws {
    try invoke(.willStore, item) { try $0.vault(vault, willStore: item) }
  }

  func vault(_ vault: Vault, priceOf item: String) throws(Refusal) -> Int {
    try invoke(.priceOf, item, default: 0) { delegate throws(Refusal) in try delegate.vault(vault, priceOf: item) }
  }

  func vault(_ vault: Vault, fetch item: String) async {
    await invoke(.fetch, item) { await $0.vault(vault, fetch: item) }
  }

  func vault(_ vault: Vault, appraise item: String) async throws -> Int {
    try await invoke(.appraise, item, default: -1) { try await $0.vault(vault, appraise: item) }
  }
}

extension DelegateMethod where Delegate == any VaultDelegate, Arguments == String {
  fileprivate static var willStore: Self { Self() }
  fileprivate static var priceOf: Self { Self() }
  fileprivate static var fetch: Self { Self() }
  fileprivate static var appraise: Self { Self() }
}

private final class Guard: VaultDelegate {
  let log: Recorder<String>
  var refuses = false

  init(_ log: Recorder<String>) { self.log = log }

  func vault(_ vault: Vault, willStore item: String) throws {
    log.record("store \(item)")
    if refuses { throw Refusal.full }
  }

  func vault(_ vault: Vault, priceOf item: String) throws(Refusal) -> Int {
    log.record("price \(item)")
    if refuses { throw .full }
    return item.count
  }

  func vault(_ vault: Vault, fetch item: String) async {
    await Task.yield()
    log.record("fetch \(item)")
  }

  func vault(_ vault: Vault, appraise item: String) async throws -> Int {
    await Task.yield()
    log.record("appraise \(item)")
    if refuses { throw Refusal.full }
    return 7
  }
}

@MainActor @Suite(.inTurn) struct InvokeTests {
  private let vault = Vault()
  private let log = Recorder<String>()
  private let bag = DisposeBag()

  /// The proxy with both streams of `method` in the log.
  private func proxy(observing method: DelegateMethod<any VaultDelegate, String>) -> RxVaultDelegateProxy {
    let proxy = RxVaultDelegateProxy.proxy(for: vault)
    let log = log
    proxy.sentMessage(method).subscribe(onNext: { log.record("sent \($0)") }).disposed(by: bag)
    proxy.methodInvoked(method).subscribe(onNext: { log.record("invoked \($0)") }).disposed(by: bag)
    return proxy
  }

  @Test(arguments: [false, true]) func aMethodThatMayThrowIsForwardedAndObserved(refuses: Bool) {
    let user = Guard(log)
    user.refuses = refuses
    vault.delegate = user
    let proxy = proxy(observing: .willStore)
    var error: (any Error)?
    do { try proxy.vault(vault, willStore: "gold") } catch let thrown { error = thrown }
    #expect(error as? Refusal == (refuses ? .full : nil))
    #expect(log.values == ["sent gold", "store gold", "invoked gold"])
  }

  @Test func anErrorKeepsItsType() {
    let user = Guard(log)
    let proxy = proxy(observing: .priceOf)
    #expect(throws: Never.self) { try #expect(proxy.vault(vault, priceOf: "tin") == 0) }
    vault.delegate = user
    user.refuses = true
    do throws(Refusal) {
      _ = try proxy.vault(vault, priceOf: "tin")
      Issue.record("it did not throw")
    } catch {
      #expect(error == .full)
    }
    #expect(log.values == ["sent tin", "invoked tin", "sent tin", "price tin", "invoked tin"])
  }

  @Test func anAsynchronousMethodIsObservedWhenItHasFinished() async {
    let user = Guard(log)
    vault.delegate = user
    let proxy = proxy(observing: .fetch)
    await proxy.vault(vault, fetch: "ring")
    #expect(log.values == ["sent ring", "fetch ring", "invoked ring"])
  }

  @Test func anAsynchronousMethodThatThrowsAnswersOrFails() async throws {
    let user = Guard(log)
    let proxy = proxy(observing: .appraise)
    #expect(try await proxy.vault(vault, appraise: "a") == -1)
    vault.delegate = user
    #expect(try await proxy.vault(vault, appraise: "b") == 7)
    user.refuses = true
    await #expect(throws: Refusal.full) { try await proxy.vault(vault, appraise: "c") }
    #expect(
      log.values == [
        "sent a", "invoked a", "sent b", "appraise b", "invoked b", "sent c", "appraise c", "invoked c",
      ])
  }
}
