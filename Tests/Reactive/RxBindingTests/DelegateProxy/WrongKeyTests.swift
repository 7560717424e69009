import TestSupport
import Testing

/// A key that does not exist is one error, at the key, that names it, whatever is done with the stream.
@Suite struct WrongKeyTests {
  private let declarations = """
    import Rx
    import RxBinding
    @MainActor public protocol PumpDelegate: AnyObject { func pump(_ pump: Pump, didFill litres: Int) }
    @MainActor public final class Pump: DelegateProxyHolder, HasDelegate, ReactiveCompatible {
      public let delegateProxies = DelegateProxies()
      public weak var delegate: (any PumpDelegate)?
    }
    final class RxPumpDelegateProxy: DelegateProxy<Pump, any PumpDelegate>, DelegateProxyType, PumpDelegate {
      weak var forwarded: (any PumpDelegate)?
      init(pump: Pump) { super.init(parentObject: pump, delegateProxy: RxPumpDelegateProxy.self) }
      static func registerKnownImplementations() { register { RxPumpDelegateProxy(pump: $0) } }
      func pump(_ pump: Pump, didFill litres: Int) {
        invoke(.didFill, (pump, litres)) { $0.pump(pump, didFill: litres) }
      }
    }
    extension DelegateMethod where Delegate == any PumpDelegate, Arguments == (pump: Pump, litres: Int) {
      static var didFill: Self { Self() }
    }
    @MainActor extension Reactive where Base == Pump {
      var delegate: DelegateProxy<Pump, any PumpDelegate> { RxPumpDelegateProxy.proxy(for: base) }
    }

    """

  private static let uses = [
    "_ = pump.rx.delegate.methodInvoked(.KEY)",
    "_ = pump.rx.delegate.sentMessage(.KEY).subscribe(onNext: { print($0) })",
    "_ = pump.rx.delegate.methodInvoked(.KEY).map { $0.litres }",
    "_ = pump.rx.delegate.methodInvoked(.KEY).map { _ in }.subscribe()",
    "_ = pump.rx.delegate.methodInvoked(.KEY).map { ($0.litres, $0.pump) }",
    "_ = pump.rx.delegate.methodInvoked(.KEY).map { $0.litres }.bind(to: relay)",
    "let litres: Observable<Int> = proxy.methodInvoked(.KEY).map { $0.litres }; _ = litres",
    "_ = proxy.methodInvoked(.KEY).map { $0.litres + 1 }.asDriver(onErrorJustReturn: 0).drive(onNext: { print($0) })",
    "_ = ControlEvent(events: proxy.methodInvoked(.KEY).map { _ in })",
    "_ = pump.rx.delegate.isObserved(.KEY)",
  ]

  @Test(.startsPrograms) func aWrongKeyIsOneErrorThatNamesIt() throws {
    guard let wrong = try messages(with: "didFil") else { return }
    let first = declarations.split(separator: "\n", omittingEmptySubsequences: false).count + 1
    #expect(wrong.map(\.line) == Array(first..<(first + Self.uses.count)))
    for message in wrong { #expect(message.message.hasSuffix("has no member 'didFil'"), "\(message)") }
  }

  @Test(.startsPrograms) func theRightKeyCompiles() throws {
    guard let right = try messages(with: "didFill") else { return }
    #expect(right == [])
  }

  /// What the compiler says of all uses with the key `key`.
  private func messages(with key: String) throws -> [CompilerMessage]? {
    let uses = Self.uses.map { $0.replacing("KEY", with: key) }.joined(separator: "\n")
    return try Compiler.messages(
      about: """
        \(declarations)@MainActor func use(_ pump: Pump, _ proxy: RxPumpDelegateProxy, _ relay: PublishRelay<Int>) {
        \(uses)
        }
        """)
  }
}
