/// Looks for the seal in a file that may hold a document of this program.
struct GPXSealSearch<Storage: GPXStorage> {
  let storage: Storage

  /// The document that the file holds, ready to be continued; `nil` when it is none that this program wrote. A file
  /// in which a crash interrupted anything is put in order first.
  func run() -> Result<GPXDocument<Storage>, GPXFailure>? {
    guard let length = lengthOfDocument(), let seal = firstSeal(length) else { return nil }
    if length < storage.length {
      let code = storage.truncate(to: length)
      if code != 0 { return .failure(GPXFailure(code: code)) }
    }
    let document = GPXDocument(storage: storage, seal: seal, length: length)
    let code = document.clean()
    return code == 0 ? .success(document) : .failure(GPXFailure(code: code))
  }

  /// Where the end mark ends; behind it may be spaces, of a growth that a crash interrupted.
  private func lengthOfDocument() -> Int? {
    let start = GPXLayout.start
    guard storage.read(start.count, at: 0) == start else { return nil }
    var end = storage.length
    while end > 0 {
      let chunk = storage.read(min(end, 64 << 10), at: end - min(end, 64 << 10)) ?? []
      guard !chunk.isEmpty else { return nil }
      if let last = chunk.lastIndex(where: { $0 != GPXLayout.space }) {
        end -= chunk.count - last - 1
        break
      }
      end -= chunk.count
    }
    let mark = GPXLayout.endMark
    guard end >= mark.count, storage.read(mark.count, at: end - mark.count) == mark else { return nil }
    return end
  }

  /// The first seal is the one in force: those before it are blank, a second one was not committed.
  private func firstSeal(_ length: Int) -> Int? {
    let chunkLength = 1 << 20
    var offset = 0
    while offset < length {
      guard let chunk = storage.read(min(chunkLength, length - offset), at: offset) else { return nil }
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
}
