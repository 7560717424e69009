import Glibc
import TestSupport

/// How often a folder has been opened: `Listeners` does so, to lock it, whenever it tries to have a socket there.
final class FolderOpenings {
  private let descriptor: Int32
  private var found = 0

  /// Counts from now on.
  init(of folder: String) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(IN_OPEN)) >= 0 else {
      throw SupportError("inotify: errno \(errno)")
    }
  }

  deinit { close(descriptor) }

  var count: Int {
    // Equal events that nobody has read are one, so it is read often. An event of a folder itself has no name.
    var events = [inotify_event](repeating: inotify_event(), count: 64)
    let size = MemoryLayout<inotify_event>.stride
    let bytes = read(descriptor, &events, events.count * size)
    found += max(bytes, 0) / size
    return found
  }
}
