import Glibc
import Platform
import SystemPackage

/// The process that holds a lock on a file, as `/proc/locks` names it.
struct LockHolder: CustomStringConvertible {
  let process: Int
  /// The kernel's name of the program: at most 15 bytes.
  let name: String

  var description: String { "\(name) (process \(process))" }

  /// The process that has a write transaction open; `nil` without one, or if the system does not tell.
  static func ofTransaction(in path: String) -> LockHolder? {
    // SQLite's write lock is byte 120 of the file that its connections share.
    find("POSIX", path + "-shm") { $0.contains(120) }
  }

  /// The process that holds the exclusive `flock` on a file; `nil` without one, or if the system does not tell.
  static func ofFlock(on path: String) -> LockHolder? { find("FLOCK", path) { _ in true } }

  /// A line is `1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 120 120`, with the device's numbers in hexadecimal.
  private static func find(_ kind: Substring, _ path: String, _ covers: (ClosedRange<Int>) -> Bool) -> LockHolder? {
    var status = stat()
    guard stat(path, &status) == 0, let locks = read("/proc/locks") else { return nil }
    func hexadecimal(_ number: UInt) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
    // The bits of Linux's `dev_t`.
    let device = UInt(status.st_dev)
    let (major, minor) = (device >> 8 & 0xFFF | device >> 32 & ~0xFFF, device & 0xFF | device >> 12 & ~0xFF)
    let file = "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
    for line in locks.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 8, words[1] == kind, words[3] == "WRITE", words[5] == file, let process = Int(words[4]),
        process > 0, process != getpid(), let first = Int(words[6])
      else { continue }
      guard covers(first...max(first, Int(words[7]) ?? .max)) else { continue }
      let name = read("/proc/\(process)/comm")?.prefix { $0 != "\n" } ?? "a program"
      return LockHolder(process: process, name: String(name))
    }
    return nil
  }

  private static func read(_ path: String) -> String? {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec]) else { return nil }
    return try? file.closeAfter { String(decoding: try file.readToEnd(), as: UTF8.self) }
  }
}
