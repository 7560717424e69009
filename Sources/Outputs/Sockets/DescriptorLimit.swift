import Glibc

/// The limit of open files and sockets of the process.
public enum DescriptorLimit {
  /// The number of descriptors that are reserved for other purposes than connections. Without a free descriptor more
  /// than connections fail: libdispatch ends the process when it cannot create a timer.
  public static let reserve = 128

  /// The current limit.
  public static var current: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit to the maximum that the administrator allows, and returns it. Call it before sockets are opened.
  /// A program that uses select(2) must not call it.
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return current }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return current
  }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
