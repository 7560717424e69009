import Foundation
import TestSupport

/// The source's thread as the kernel sees it.
struct ReadingThread {
  private let path: String

  /// The thread of this process that waits in `poll` for ever, found by what it waits in.
  static func find() throws -> ReadingThread? {
    for task in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      let path = "/proc/self/task/\(task)"
      // 7 is poll; its third argument is the time-out.
      let call = (try? String(contentsOfFile: path + "/syscall", encoding: .utf8))?.split(separator: " ") ?? []
      if call.count > 3, call[0] == "7", call[2] == "0x2", call[3] == "0xffffffff" || call[3] == "0xffffffffffffffff" {
        return ReadingThread(path: path)
      }
    }
    return nil
  }

  /// How often the thread gave the processor away by itself: once for each time that it woke and slept again.
  func wakeups() throws -> Int {
    let status = try String(contentsOfFile: path + "/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches") }),
      let count = Int(line.filter(\.isNumber))
    else { throw SupportError("no count of context switches in \(path)/status") }
    return count
  }
}
