import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Whether it is a regular file: no pipe, no socket, no device, no folder.
  public var isRegularFile: Bool {
    var status = Glibc.stat()
    return fstat(rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether others than the file's owner and its group may do anything with it, or the group may change it.
  public var isOpenToOthers: Bool {
    var status = Glibc.stat()
    return fstat(rawValue, &status) != 0 || status.st_mode & (S_IRWXO | S_IWGRP) != 0
  }

  /// Reads from here to the end. It may wait, unless this is a regular file.
  ///
  /// - Parameter limit: How many bytes are wanted: reading stops soon after so many.
  /// - Throws: `Errno`.
  public func readToEnd(limit: Int = .max) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit, case let count = try block.withUnsafeMutableBytes({ try read(into: $0) }), count > 0 {
      bytes += block.prefix(count)
    }
    return bytes
  }
}
