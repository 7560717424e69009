import Glibc

/// A mounted file system that answers nothing, like one of a server that has gone: a program that opens a file there waits.
/// It is unmounted when released, and a program that waits gets an error.
package final class StalledMount {
  private let folder = TemporaryFolder()
  private let device: Int32

  /// Mounts it. That takes root and /dev/fuse; the trait `mountsStalled` skips tests without them.
  package init() throws {
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
    guard device >= 0, mount("stalled", folder.path, "fuse", 0, options) == 0 else {
      if device >= 0 { close(device) }
      throw SupportError("cannot mount: errno \(errno)")
    }
  }

  deinit {
    umount2(folder.path, Int32(MNT_DETACH))
    close(device)
  }

  package func file(_ name: String) -> String { folder.path(name) }
}
