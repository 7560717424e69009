import Dispatch

enum Failure: Error, Equatable {
  case offline
}

/// Whether the caller runs on the main thread, where the main actor is.
func isOnMainActor() -> Bool {
  dispatchPrecondition(condition: .onQueue(.main))
  return true
}
