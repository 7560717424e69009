// The one file of the reactive libraries that needs more than Swift: a thread's identity and its values, a lock by hand,
// and standard error. Where there is no Glibc, Foundation has them, more slowly.
#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The calling thread.
package enum CurrentThread {
  /// A number that no other living thread has: never 0, and even, because it is the address of an aligned structure.
  package static var identity: UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: ObjectIdentifier(Thread.current))
    #endif
  }

  #if canImport(Glibc)
    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      let status = pthread_key_create(&key) { value in
        let pointer: UnsafeMutableRawPointer? = value
        if let pointer { Unmanaged<Trampoline>.fromOpaque(pointer).release() }
      }
      precondition(status == 0, "no thread-specific key is left")
      return key
    }()
  #endif

  /// Its queue of actions.
  static var trampoline: Trampoline {
    #if canImport(Glibc)
      if let pointer = pthread_getspecific(key) {
        return Unmanaged<Trampoline>.fromOpaque(pointer).takeUnretainedValue()
      }
      let trampoline = Trampoline()
      pthread_setspecific(key, Unmanaged.passRetained(trampoline).toOpaque())
      return trampoline
    #else
      let values = Thread.current.threadDictionary
      if let trampoline = values["Rx.Trampoline"] as? Trampoline { return trampoline }
      let trampoline = Trampoline()
      values["Rx.Trampoline"] = trampoline
      return trampoline
    #endif
  }
}

/// A lock that is taken and released by hand. Where a closure would return a value of a generic type, the runtime is asked
/// how that is laid out, at every event.
final class HandLock: Sendable {
  #if canImport(Glibc)
    // Any thread may use the mutex that it points to.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
      mutex = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }
  #else
    private let mutex = NSLock()

    func lock() { mutex.lock() }

    func unlock() { mutex.unlock() }
  #endif
}

/// Writes lines to standard error, whole and without buffering.
package enum StandardError {
  package static func write(_ line: String) {
    #if canImport(Glibc)
      var bytes = Array(line.utf8)
      bytes.append(UInt8(ascii: "\n"))
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
        if written < 0 {
          if errno == EINTR { continue }
          return
        }
        rest = rest.dropFirst(written)
      }
    #else
      try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    #endif
  }
}
