import Glibc
import Platform
import SystemPackage

struct UnixListener: Sendable {
  let descriptor: Int32
  private let path: String
  private let identity: FileIdentity

  /// Creates the socket, and replaces one without a listener. The folder is locked meanwhile, so that two programs that start
  /// at once do not remove each other's socket; a lock that another program holds is a temporary error.
  init(path: String, mode: UInt16, group: String?) throws(ListenError) {
    let groupID = group.flatMap(Listeners.groupID)
    if let group, groupID == nil { throw ListenError("cannot be given to group \(group): no such group") }
    let lock = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer {
      if lock >= 0 {
        // Unlocks explicitly, because a child process that has not called exec yet may still have the descriptor.
        flock(lock, LOCK_UN)
        close(lock)
      }
    }
    if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw ListenError("cannot be created: another program holds a lock on \(folder(of: path))", isTemporary: true)
    }
    if try Listeners.isStale(unix: path), unlink(path) != 0, errno != ENOENT {
      throw ListenError("is left over and cannot be removed: \(Self.reason)")
    }
    let descriptor = socket(AF_UNIX, Self.streamType, 0)
    guard descriptor >= 0 else { throw ListenError("cannot be created: \(Self.reason)") }
    var created: FileIdentity?
    do throws(ListenError) {
      // No client can connect before listen(), so the permissions are in force before the first client.
      guard UnixSocket.withAddress(path, { bind(descriptor, $0, $1) }) == 0 else { throw Self.bindFailure(path) }
      created = FileIdentity(path: path)
      guard let created else { throw ListenError("vanished while it was created") }
      if let groupID, chown(path, uid_t.max, groupID) != 0 {
        throw ListenError("cannot be given to group \(group ?? ""): \(Self.reason)")
      }
      guard chmod(path, mode_t(mode)) == 0, listen(descriptor, 1024) == 0 else {
        throw ListenError("cannot be opened: \(Self.reason)")
      }
      (self.path, identity, self.descriptor) = (path, created, descriptor)
    } catch {
      if let created, FileIdentity(path: path) == created { unlink(path) }
      close(descriptor)
      throw error
    }
  }

  /// Whether the path still names this socket, so that clients find it.
  var hasItsFile: Bool { FileIdentity(path: path) == identity }

  func removeFile() {
    if hasItsFile { unlink(path) }
  }

  fileprivate static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

  fileprivate static var reason: String { Errno(rawValue: errno).description }

  private static func bindFailure(_ path: String) -> ListenError {
    let folder = folder(of: path)
    return switch errno {
    case ENOENT: ListenError("cannot be created: there is no folder \(folder); create it first")
    case ENOTDIR: ListenError("cannot be created: \(folder) is not a folder")
    case EACCES, EPERM: ListenError("cannot be created: permission denied; let this user write \(folder)")
    case EROFS: ListenError("cannot be created: the file system is read-only; choose another place")
    case EADDRINUSE: ListenError("is in use; choose another path")
    default: ListenError("cannot be created: \(reason)")
    }
  }
}

extension Listeners {
  /// Whether there is a unix socket without a listener, which `listen` would replace; false if there is no file.
  package static func isStale(unix path: String) throws(ListenError) -> Bool {
    guard let status = try? Stat(path, followTargetSymlink: false) else { return false }
    guard status.type == .socket else {
      throw ListenError("exists and is not a socket; remove it or choose another path")
    }
    let probe = socket(AF_UNIX, UnixListener.streamType | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { throw ListenError("cannot be created: \(UnixListener.reason)") }
    defer { Glibc.close(probe) }
    let result = UnixSocket.withAddress(path) { connect(probe, $0, $1) }
    switch result == 0 ? 0 : errno {
    case ECONNREFUSED: return true
    case ENOENT: return false
    case EACCES: throw ListenError("exists and belongs to another user; choose another path")
    default: throw ListenError("is in use by a running program; stop that or choose another path", isInUse: true)
    }
  }

  /// The group of that name or number; `nil` if this machine has none of that name.
  package static func groupID(_ name: String) -> gid_t? {
    if let number = gid_t(name) { return number }
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    let code = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 << 10) { text in
      getgrnam_r(name, &entry, text.baseAddress, text.count, &found)
    }
    return code == 0 && found != nil ? entry.gr_gid : nil
  }
}
