/// Handles an error that reaches a binding. A binding cannot handle it, so it is a programming error (RxCocoa's
/// `rxFatalErrorInDebug`).
package enum BindingError {
  /// Traps in debug builds, logs on standard error in release builds.
  @Sendable
  package static func raise(_ error: any Error) {
    #if DEBUG
      fatalError("Binding error: \(error)")
    #else
      StandardError.write("Binding error: \(error)")
    #endif
  }
}
