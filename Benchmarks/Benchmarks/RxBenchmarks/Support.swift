import Benchmark
import Foundation
import Synchronization

/// Returns its argument, which the optimiser cannot see through.
@inline(never)
func opaque<Value>(_ value: Value) -> Value {
  value
}

/// The work of every subscription for an element, which cannot be left out or moved.
@inline(never)
func consume(_ element: Int) {
  blackHole(element)
}

/// A subject without a library: closures behind a lock.
final class ClosureList: Sendable {
  private let closures = Mutex<[@Sendable (Int) -> Void]>([])

  func add(_ closure: @escaping @Sendable (Int) -> Void) {
    closures.withLock { $0.append(closure) }
  }

  @inline(never)
  func emit(_ element: Int) {
    for closure in closures.withLock({ $0 }) { closure(element) }
  }
}

/// An object on the main actor.
@MainActor
final class Label {
  var value = 0
}

/// An object for `assign`, which accepts only key paths of non-isolated properties.
final class PlainLabel {
  var value = 0
}

/// A nearly idle thread. The C library and the processor are faster in a process with one thread, and a program that
/// needs a reactive library has more.
enum SecondThread {
  static func start() {
    let thread = Thread {
      while true { Thread.sleep(forTimeInterval: 0.001) }
    }
    thread.start()
  }
}
