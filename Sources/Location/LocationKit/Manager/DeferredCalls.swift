/// Calls of a delegate that must not happen within the method that causes them. They run on the next turn of the clock,
/// or just before the next event of the source, whichever comes first.
@MainActor
final class DeferredCalls {
  private let clock: any LocationClock
  private var calls: [@MainActor () -> Void] = []
  private var timer: LocationTimer?

  init(clock: any LocationClock) { self.clock = clock }

  func add(_ call: @escaping @MainActor () -> Void) {
    calls.append(call)
    if timer == nil { timer = clock.schedule(after: 0) { [weak self] in self?.run() } }
  }

  func run() {
    guard !calls.isEmpty else { return }
    timer = nil
    let pending = calls
    calls = []
    for call in pending { call() }
  }
}
