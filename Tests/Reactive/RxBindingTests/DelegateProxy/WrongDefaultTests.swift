import TestSupport
import Testing

/// A default of a wrong type, or none where one is needed, is one error at the call of `invoke`, which says so.
@Suite struct WrongDefaultTests {
  private static let wrongType = "the default is not of the type that the method returns"
  private static let missing = "a method that returns a value needs 'default:', the answer without a delegate"

  private static let refused = [
    ("func a(_ pump: Pump) -> Bool { invoke(.ask, pump, default: 0) { $0.isFull(pump) } }", wrongType),
    ("func b(_ pump: Pump) -> Bool { invoke(.ask, pump, default: 0) { _ in true } }", wrongType),
    ("func c(_ pump: Pump) throws -> Int { try invoke(.ask, pump, default: \"\") { try $0.level(pump) } }", wrongType),
    ("func d(_ p: Pump) async -> Int { await invoke(.ask, p, default: \"\") { await $0.rate(p) } }", wrongType),
    ("func e(_ pump: Pump) -> Bool { invoke(.ask, pump) { $0.isFull(pump) } }", missing),
    ("func f(_ pump: Pump) throws -> Int { try invoke(.ask, pump) { try $0.level(pump) } }", missing),
    ("func g(_ pump: Pump) async -> Int { await invoke(.ask, pump) { await $0.rate(pump) } }", missing),
  ]

  private static let accepted = """
    func isFull(_ pump: Pump) -> Bool { invoke(.ask, pump, default: false) { $0.isFull(pump) } }
    func level(_ pump: Pump) throws -> Int { try invoke(.ask, pump, default: 0) { try $0.level(pump) } }
    func rate(_ pump: Pump) async -> Int { await invoke(.ask, pump, default: 0) { await $0.rate(pump) } }
    func stop(_ pump: Pump) { invoke(.ask, pump) { $0.stop(pump) } }
    """

  private let declarations = """
    import Rx
    import RxBinding
    @MainActor public protocol PumpDelegate: AnyObject {
      func isFull(_ pump: Pump) -> Bool
      func level(_ pump: Pump) throws -> Int
      func rate(_ pump: Pump) async -> Int
      func stop(_ pump: Pump)
    }
    @MainActor public final class Pump: DelegateProxyHolder, HasDelegate {
      public let delegateProxies = DelegateProxies()
      public weak var delegate: (any PumpDelegate)?
    }
    extension DelegateMethod where Delegate == any PumpDelegate, Arguments == Pump {
      static var ask: Self { Self() }
    }
    final class RxPumpDelegateProxy: DelegateProxy<Pump, any PumpDelegate>, DelegateProxyType, PumpDelegate {
      weak var forwarded: (any PumpDelegate)?
      init(pump: Pump) { super.init(parentObject: pump, delegateProxy: RxPumpDelegateProxy.self) }
      static func registerKnownImplementations() { register { RxPumpDelegateProxy(pump: $0) } }

    """

  @Test(.startsPrograms) func aWrongOrMissingDefaultIsOneErrorThatSaysSo() throws {
    let before = declarations + Self.accepted + "\n"
    let lines = Self.refused.map { $0.0 }.joined(separator: "\n")
    guard let messages = try Compiler.messages(about: "\(before)\(lines)\n}") else { return }
    let first = before.split(separator: "\n", omittingEmptySubsequences: false).count
    #expect(messages.map(\.line) == Array(first..<(first + Self.refused.count)))
    for (message, (_, expected)) in zip(messages, Self.refused) {
      #expect(message.message.hasSuffix("is unavailable: \(expected)"), "\(message)")
    }
  }
}
