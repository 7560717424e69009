import Glibc

/// Looks for the seal in a file that may hold a document of this program.
struct GPXSealSearch {
  let descriptor: Int32

  /// The seal's place and the file's length; `nil` when the file is not one that this program wrote to its end.
  func run() -> (seal: Int, length: Int)? {
    let length = Int(lseek(descriptor, 0, SEEK_END))
    let start = GPXLayout.start
    let mark = GPXLayout.endMark
    guard length >= start.count + mark.count, read(start.count, at: 0) == start,
      read(mark.count, at: length - mark.count) == mark, let seal = firstSeal(length)
    else { return nil }
    return (seal, length)
  }

  /// The first seal is the one in force: those before it are blank, a second one was not committed.
  private func firstSeal(_ length: Int) -> Int? {
    let chunkLength = 1 << 20
    var offset = 0
    while offset < length {
      guard let chunk = read(min(chunkLength, length - offset), at: offset) else { return nil }
      if let place = Self.firstIndex(of: GPXLayout.seal, in: chunk) { return offset + place }
      if offset + chunk.count >= length { return nil }
      // Chunks overlap, so that a seal lies in one of them.
      offset += chunk.count - GPXLayout.seal.count + 1
    }
    return nil
  }

  private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    // The question mark is rare in these documents.
    let mark = UInt8(ascii: "?")
    guard let before = pattern.firstIndex(of: mark) else { return nil }
    var position = 0
    while let found = bytes[position...].firstIndex(of: mark) {
      let place = found - before
      if place >= 0 && bytes[place...].starts(with: pattern) { return place }
      position = found + 1
    }
    return nil
  }

  private func read(_ count: Int, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let (got, _) = bytes.withUnsafeMutableBytes { buffer in
        retryingInterrupts {
          pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        }
      }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }
}
