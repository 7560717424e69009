/// What happens to an error that reaches something bound: nobody can do anything about it there, so it is a programmer's
/// fault (RxCocoa's `rxFatalErrorInDebug`).
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
