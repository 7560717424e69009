import Benchmark
import Foundation
import Synchronization

/// The same value, as one that the optimiser knows nothing about.
@inline(never)
func opaque<Value>(_ value: Value) -> Value {
  value
}

/// What every subscription does with an element: something that cannot be left out or moved.
@inline(never)
func consume(_ element: Int) {
  blackHole(element)
}

/// What a subject would be if there were no library: closures behind a lock.
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

/// An object that only the main actor touches.
@MainActor
final class Label {
  var value = 0
}

/// An object for `assign`, which takes key paths of non-isolated properties only.
final class PlainLabel {
  var value = 0
}

/// A thread that does next to nothing: the C library and the processor treat a process with one thread better than one
/// with more, and a program that needs a reactive library has more.
enum SecondThread {
  static func start() {
    let thread = Thread {
      while true { Thread.sleep(forTimeInterval: 0.001) }
    }
    thread.start()
  }
}
