import Glibc

/// A mounted file system that answers nothing, like one of a server that has gone: whoever opens a file there waits. Taken
/// away when released, and whoever waits gets an error.
public final class StalledMount {
  private let folder: TemporaryFolder
  private let device: Int32

  /// Mounts it; `nil` where this process may not, which takes root and /dev/fuse.
  public init?() throws {
    folder = try TemporaryFolder()
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
    guard device >= 0, mount("stalled", folder.path, "fuse", 0, options) == 0 else {
      if device >= 0 { close(device) }
      return nil
    }
  }

  deinit {
    umount2(folder.path, Int32(MNT_DETACH))
    close(device)
  }

  /// A file there.
  public func file(_ name: String) -> String { folder.path(name) }
}
