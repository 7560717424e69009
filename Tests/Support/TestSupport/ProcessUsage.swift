import Foundation

/// What this process holds of the system.
public struct ProcessUsage: Sendable {
  /// Open descriptors.
  public var descriptors: Int
  /// Threads.
  public var threads: Int
  /// Resident memory in KiB.
  public var residentKiB: Int

  /// Reads `/proc/self`.
  public static func now() -> ProcessUsage {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func number(_ key: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
      return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    return ProcessUsage(descriptors: files.count, threads: number("Threads"), residentKiB: number("VmRSS"))
  }
}
