import Glibc

/// How many files and sockets the process may have open.
public enum DescriptorLimit {
  /// How many are kept for everything that is no connection. Without a free one more than connections fail: libdispatch ends
  /// the process when it cannot have one for a timer.
  public static let reserve = 128

  /// The limit in force.
  public static var current: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit to what the administrator allows and returns it; call it before sockets are opened. A
  /// program that uses select(2) must not call it.
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
