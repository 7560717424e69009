import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Whether it is a regular file: no pipe, no socket, no device, no folder.
  public var isRegularFile: Bool {
    var status = Glibc.stat()
    return fstat(rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
