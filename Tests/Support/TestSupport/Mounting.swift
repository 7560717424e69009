import Foundation
import Glibc
import Testing

/// Whether this process may mount file systems, which takes root and in a container a right of its own.
private let isMountingAllowed = (try? SmallDisk("64k")) != nil

extension Trait where Self == ConditionTrait {
  /// For tests that mount a tmpfs: they are skipped where this process may not.
  package static var mounts: Self { .enabled(if: isMountingAllowed, "this process may not mount a file system") }

  /// For tests with a `StalledMount`: they are skipped where this process cannot have one.
  package static var mountsStalled: Self {
    .enabled(if: (try? StalledMount()) != nil, "this process may not mount a FUSE file system")
  }
}

/// A mounted tmpfs, as a disk that fills up. It is unmounted when released.
package final class SmallDisk {
  private let folder = TemporaryFolder()
  package var path: String { folder.path }

  /// Mounts it; `size` is as in the option of tmpfs, such as `64k`. The trait `mounts` skips tests that may not.
  package init(_ size: String) throws {
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
      throw SupportError("cannot mount: errno \(errno)")
    }
  }

  /// Fills it up by a file, which is removed to give the room back.
  ///
  /// - Returns: The file.
  @discardableResult
  package func fill() throws -> String {
    let filler = folder.file("filler")
    _ = FileManager.default.createFile(atPath: filler, contents: nil)
    guard let handle = FileHandle(forWritingAtPath: filler) else { throw SupportError("cannot write \(filler)") }
    // A page after the other, until there is room for none.
    while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
    try handle.close()
    return filler
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }
}
