import Rx

/// What a programmer did wrong with delegate proxies.
@MainActor
enum DelegateProxyFault {
  /// Where warnings go: standard error.
  static var warningHandler: @MainActor (String) -> Void = { StandardError.write($0) }

  /// Says what to do and ends the process: going on would lose delegate calls silently.
  static func raise(_ message: String) -> Never {
    fatalError("Delegate proxy: \(message)")
  }

  /// Says what was probably not intended.
  static func warn(_ message: String) {
    warningHandler("Delegate proxy: \(message)")
  }
}
