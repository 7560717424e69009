import Glibc

/// A listening unix domain socket and the file that names it.
struct UnixListener: Sendable {
  let descriptor: Int32
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Creates the socket, in place of one that nobody listens on any more.
  ///
  /// The folder is locked meanwhile, so that of two programs that start at once neither removes the other's socket.
  init(path: String, mode: UInt16, group: String?) throws(OutputError) {
    let groupID = try group.map { name throws(OutputError) in try Self.groupID(name, path) }
    let lock = open(parentFolder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if lock >= 0 { close(lock) } }
    if lock >= 0 { _ = retryingInterrupts { flock(lock, LOCK_EX) } }
    try Self.removeStale(path)

    let descriptor = socket(AF_UNIX, Self.streamType, 0)
    guard descriptor >= 0 else {
      throw Self.failure(path, "cannot be created: \(describe(errno: errno))")
    }
    do throws(OutputError) {
      // Nobody can connect before listen(), so the permissions are in force before the first reader.
      let (bound, code) = Self.withAddress(path) { address, length in
        bind(descriptor, address, length)
      }
      guard bound == 0 else { throw Self.bindFailure(path, code) }
      var status = stat()
      guard lstat(path, &status) == 0 else {
        throw Self.failure(path, "vanished while it was created")
      }
      (self.path, device, inode, self.descriptor) = (path, status.st_dev, status.st_ino, descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    do throws(OutputError) {
      if let groupID, chown(path, uid_t.max, groupID) != 0 {
        throw Self.failure(
          path, "cannot be given to group \(group ?? ""): \(describe(errno: errno))")
      }
      guard chmod(path, mode_t(mode)) == 0, listen(descriptor, 1024) == 0 else {
        throw Self.failure(path, "cannot be opened: \(describe(errno: errno))")
      }
    } catch {
      removeFile()
      close(descriptor)
      throw error
    }
  }

  /// Removes the file, if it is still this socket's.
  func removeFile() {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }

  private static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

  private static func removeStale(_ path: String) throws(OutputError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw failure(path, "exists and is no socket; remove it or choose another path")
    }
    let probe = socket(AF_UNIX, streamType | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { throw failure(path, "cannot be created: \(describe(errno: errno))") }
    defer { close(probe) }
    let (result, code) = withAddress(path) { address, length in connect(probe, address, length) }
    if result == -1 && code == ECONNREFUSED {
      guard unlink(path) == 0 || errno == ENOENT else {
        throw failure(path, "is left over and cannot be removed: \(describe(errno: errno))")
      }
      return
    }
    if result == -1 && code == ENOENT { return }
    if result == -1 && code == EACCES {
      throw failure(path, "exists and belongs to another user; choose another path")
    }
    throw failure(path, "is in use by a running program; stop that or choose another path")
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> (Int32, Int32) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The address parser has checked the length; the last byte stays zero.
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
    }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        retryingInterrupts { body(address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    }
  }

  private static func groupID(_ name: String, _ path: String) throws(OutputError) -> gid_t {
    if let number = gid_t(name) { return number }
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    let code = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 << 10) { text in
      getgrnam_r(name, &entry, text.baseAddress, text.count, &found)
    }
    guard code == 0, found != nil else {
      throw failure(path, "cannot be given to group \(name): no such group")
    }
    return entry.gr_gid
  }

  private static func bindFailure(_ path: String, _ code: Int32) -> OutputError {
    let folder = parentFolder(of: path)
    return switch code {
    case ENOENT: failure(path, "cannot be created: there is no folder \(folder); create it first")
    case ENOTDIR: failure(path, "cannot be created: \(folder) is not a folder")
    case EACCES, EPERM:
      failure(path, "cannot be created: permission denied; let this user write \(folder)")
    case EROFS:
      failure(path, "cannot be created: the file system is read-only; choose another place")
    case EADDRINUSE: failure(path, "is in use; choose another path")
    default: failure(path, "cannot be created: \(describe(errno: code))")
    }
  }

  private static func failure(_ path: String, _ what: String) -> OutputError {
    OutputError(.cannotCreate, "region socket unix:\(path) \(what)")
  }
}
