import Glibc
public import Testing

/// Whether this process may mount file systems, which takes root and in a container a right of its own.
private let isMountingAllowed: Bool = {
  guard let folder = try? TemporaryFolder() else { return false }
  guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
  umount2(folder.path, Int32(MNT_DETACH))
  return true
}()

extension Trait where Self == ConditionTrait {
  /// For tests that mount a tmpfs: they are skipped where this process may not.
  public static var mounts: Self { .enabled(if: isMountingAllowed, "this process may not mount a file system") }

  /// For tests with a `StalledMount`: they are skipped where this process cannot have one.
  public static var mountsStalled: Self {
    .enabled(if: (try? StalledMount()) != nil, "this process may not mount a FUSE file system")
  }
}
