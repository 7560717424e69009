import Glibc

package enum ProgramPages {
  /// Releases the pages of code that are in memory. Most of them were needed only to link the program, to read its
  /// arguments and to open its outputs. The system maps a page again at its next use, from its own copy of the file.
  package static func release() {
    guard let maps = fopen("/proc/self/maps", "re") else { return }
    defer { fclose(maps) }
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4352) { buffer in
      guard let line = buffer.baseAddress else { return }
      while fgets(line, Int32(buffer.count), maps) != nil {
        // 55d0c8a00000-55d0c9400000 r-xp 00000000 fe:00 393240 /usr/bin/rxlocationd
        var rest: UnsafeMutablePointer<CChar>?
        let start = strtoul(line, &rest, 16)
        guard let dash = rest, dash.pointee == CChar(UInt8(ascii: "-")) else { continue }
        let end = strtoul(dash + 1, &rest, 16)
        // Code is never written to, so releasing it loses nothing. The linker has written to some read-only data.
        guard let mode = rest, strncmp(mode, " r-xp ", 6) == 0, strchr(mode, Int32(UInt8(ascii: "/"))) != nil,
          let address = UnsafeMutableRawPointer(bitPattern: start)
        else { continue }
        madvise(address, Int(end - start), MADV_DONTNEED)
      }
    }
  }
}
