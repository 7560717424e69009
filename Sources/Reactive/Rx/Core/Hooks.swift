/// Global hooks of the kernel (RxSwift).
public enum Hooks {
  /// Receives an error that reached a subscription without an `onError`.
  public typealias DefaultErrorHandler = @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  private struct Handlers: Sendable {
    var error: DefaultErrorHandler = { _, error in
      #if DEBUG
        StandardError.write("Unhandled error happened: \(error)")
      #endif
    }
  }

  private static let handlers = Locked(Handlers())

  /// Called with every error that reached a subscription without an `onError`. By default a debug build reports it on
  /// standard error, and a release build ignores it.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { handlers.withLock { $0.error } }
    set { handlers.replace(with: Handlers(error: newValue)) }
  }

  static func unhandledError(_ error: any Error) { defaultErrorHandler([], error) }
}
