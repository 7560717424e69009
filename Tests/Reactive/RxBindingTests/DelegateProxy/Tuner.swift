import RxBinding

@MainActor
protocol TunerDelegate: AnyObject {
  func tuned()
  func first()
  func second()
  func third()
}

@MainActor
final class Tuner: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any TunerDelegate)?
}

/// Counts the arguments that it makes, and has methods with awkward names.
final class RxTunerDelegateProxy: DelegateProxy<Tuner, any TunerDelegate>, DelegateProxyType, TunerDelegate {
  weak var forwarded: (any TunerDelegate)?

  private(set) var argumentsMade = 0

  init(tuner: Tuner) {
    super.init(parentObject: tuner, delegateProxy: RxTunerDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxTunerDelegateProxy(tuner: $0) }
  }

  func tuned() { invoke(.tuned, makeArguments()) { $0.tuned() } }
  func first() { invoke(.axcxe, 1) { $0.first() } }
  func second() { invoke(.aycye, 2) { $0.second() } }
  func third() { invoke(.same, "text") { $0.third() } }

  private func makeArguments() -> Int {
    argumentsMade += 1
    return argumentsMade
  }
}

extension DelegateMethod where Delegate == any TunerDelegate, Arguments == Int {
  static var tuned: Self { Self() }
  static var axcxe: Self { Self() }
  static var aycye: Self { Self() }
  static var same: Self { Self() }
}

extension DelegateMethod where Delegate == any TunerDelegate, Arguments == String {
  static var same: Self { Self() }
}
