import Rx
import TestSupport

/// What the closures of a test hold.
package final class Captured: Sendable {
  package init() {}
  package func touch() {}
}

/// Whether what `subscribe` captures goes while the bag is still held; it waits, as a queue lets go of its last block some
/// time after it has run.
package func frees(
  isolation: isolated (any Actor)? = #isolation, _ subscribe: (Captured, DisposeBag) -> Void
) async -> Bool {
  let bag = DisposeBag()
  weak var captured: Captured?
  do {
    let object = Captured()
    captured = object
    subscribe(object, bag)
  }
  let isFreed = await eventually { captured == nil }
  withExtendedLifetime(bag) {}
  return isFreed
}
