import Foundation

/// What a process, by itself this one, holds of the system.
package struct ProcessUsage: Sendable {
  package let descriptors, threads, residentKiB: Int

  package init(of process: String = "self") {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    let lines = contents("/proc/\(process)/status").split(separator: "\n")
    func number(_ key: String) -> Int {
      lines.first { $0.hasPrefix(key + ":") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    (descriptors, threads, residentKiB) = (files.count, number("Threads"), number("VmRSS"))
  }
}
