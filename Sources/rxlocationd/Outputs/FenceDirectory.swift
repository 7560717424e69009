import FoundationEssentials
import Glibc
import Platform
import SystemPackage
import Writing

/// The folder of `--fence-state`, with an empty file for each fence that has the receiver inside.
///
/// The files are hard links to the file `.rxlocationd` of the folder. So each appears at once, those of an earlier run are
/// known, and those of other programs stay as they are.
final class FenceDirectory {
  private let path: String
  /// The file `.rxlocationd`, which is locked.
  private var mark: FileDescriptor

  init(path: String) throws(OutputError) { (self.path, mark) = (path, try Self.open(path)) }

  deinit { try? mark.close() }

  static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= NAME_MAX && !name.hasPrefix(".")
      && !name.utf8.contains { $0 == 0x2F || $0 == 0 }
  }

  static func trial(path: String) throws(OutputError) {
    let folder = access(path, F_OK) == 0 ? path : folder(of: path)
    guard access(folder, W_OK | X_OK) == 0 else { throw failure(folder, "cannot be written") }
  }

  func files() throws(OutputError) -> Set<String> { try files(like: mark) }

  /// Makes the files be those of these fences, also after the folder has vanished.
  func show(_ fences: Set<String>) throws(OutputError) {
    if FileIdentity(path: path(to: Self.mark)) != FileIdentity(mark) {
      let new = try Self.open(path)
      for name in try files(like: mark) { try remove(name) }
      try? mark.close()
      mark = new
    }
    let found = try files()
    for name in found.subtracting(fences) { try remove(name) }
    for name in fences.subtracting(found).sorted() where link(path(to: Self.mark), path(to: name)) != 0 {
      throw Self.failure(path(to: name), errno == EEXIST ? "is a file of another program" : "cannot be created")
    }
  }

  func clear() throws(OutputError) {
    guard access(path, F_OK) == 0 else { return }
    for name in try files() { try remove(name) }
    if FileIdentity(path: path(to: Self.mark)) == FileIdentity(mark) { try remove(Self.mark) }
  }

  private static let mark = ".rxlocationd"

  private static func open(_ path: String) throws(OutputError) -> FileDescriptor {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure(path, "cannot be created") }
    let mark = Glibc.open(path + "/" + Self.mark, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard mark >= 0 else { throw failure(path, "cannot be written") }
    guard flock(mark, LOCK_EX | LOCK_NB) == 0 else {
      let error = failure(path, errno == EWOULDBLOCK ? "is used by another rxlocationd" : "cannot be locked")
      close(mark)
      throw error
    }
    return FileDescriptor(rawValue: mark)
  }

  private func files(like file: FileDescriptor) throws(OutputError) -> Set<String> {
    let identity = FileIdentity(file)
    do {
      return Set(try FileManager.default.contentsOfDirectory(atPath: path)).subtracting([Self.mark]).filter {
        FileIdentity(path: path(to: $0)) == identity
      }
    } catch {
      throw Self.failure(path, "cannot be read")
    }
  }

  private func remove(_ name: String) throws(OutputError) {
    guard unlink(path(to: name)) == 0 || errno == ENOENT else {
      throw Self.failure(path(to: name), "cannot be removed")
    }
  }

  private func path(to name: String) -> String { path + "/" + name }

  private static func failure(_ path: String, _ problem: String) -> OutputError {
    let isOurs = [0, EEXIST, EWOULDBLOCK].contains(errno)
    return OutputError(.cannotCreate, "fence state: \(path) \(problem)" + (isOurs ? "" : ": \(Errno(rawValue: errno))"))
  }
}
