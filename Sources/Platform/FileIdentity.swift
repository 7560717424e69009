import Glibc
public import SystemPackage

/// The identity of a file: its device and its inode. A path may name another file later.
public struct FileIdentity: Sendable, Hashable {
  private let device: dev_t
  private let inode: ino_t

  /// The file that a path names; `nil` if there is none. A symbolic link stands for its target.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// The file that a descriptor has open; `nil` when the descriptor is not open.
  public init?(_ file: FileDescriptor) {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
