/// A GPX document on disk that is a valid document at every moment: between any two writes, within any of them, and
/// after a power failure that lost any sectors written since the last sync.
///
/// The file is, in this order:
///
///     head and points   </trkseg></trk></gpx>   <?pad    anything   <?pad ?>
///
/// The closing tags and the processing instruction's start are the *seal*, which never crosses a sector; the last
/// eight bytes are the *end mark*. Everything between them is the instruction's content and may be anything without
/// "?>". New points and a new seal are written there, unseen, and synced; then the old seal is overwritten with
/// spaces, which one sector's write does as a whole, and the new points are part of the document.
///
/// A file that is too short grows by spaces, which may stand behind a document; then gets a second end mark, alone a
/// processing instruction of its own; then loses the first, with a sync after each step.
struct GPXDocument<Storage: GPXStorage> {
  let storage: Storage
  /// Where the seal begins.
  private(set) var seal: Int
  /// The file's length.
  private(set) var length: Int
  private var scratch: [UInt8] = []
  /// An append has failed, so what lies behind the seal, and whether that is still in force, is not known.
  private var isUncertain = false

  /// A document that exists already: its seal's place and the file's length.
  init(storage: Storage, seal: Int, length: Int) {
    self.storage = storage
    self.seal = seal
    self.length = length
  }

  /// Writes an empty document to an empty file, in one piece.
  static func create(in storage: Storage) -> Result<Self, GPXFailure> {
    let length = GPXLayout.firstLength
    var bytes = GPXLayout.start
    let seal = GPXLayout.placeOfSeal(from: bytes.count)
    bytes += spaces(seal - bytes.count) + GPXLayout.seal
    bytes += spaces(length - GPXLayout.endMark.count - bytes.count) + GPXLayout.endMark
    let code = bytes.withUnsafeBytes { storage.write($0, at: 0) }
    guard code == 0 else {
      _ = storage.truncate(to: 0)
      return .failure(GPXFailure(code: code))
    }
    let synced = storage.sync()
    guard synced == 0 else { return .failure(GPXFailure(code: synced)) }
    return .success(Self(storage: storage, seal: seal, length: length))
  }

  /// Adds points. After a failure the document is as it was, or has the points; the same call may be made again.
  mutating func append(_ points: UnsafeRawBufferPointer) -> Int32 {
    let hidden = seal + GPXLayout.seal.count
    let newSeal = GPXLayout.placeOfSeal(from: hidden + points.count)
    let needed = newSeal + GPXLayout.seal.count + GPXLayout.endMark.count
    if needed > length {
      let code = grow(to: needed)
      if code != 0 { return code }
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: points)
    scratch.append(
      contentsOf: repeatElement(GPXLayout.space, count: newSeal - hidden - points.count))
    scratch.append(contentsOf: GPXLayout.seal)
    isUncertain = true
    let code = then(write(scratch, at: hidden)) { storage.sync() }
    if code != 0 { return code }
    // The next append syncs this, before it writes what relies on it.
    let committed = write(spaces(GPXLayout.seal.count), at: seal)
    guard committed == 0 else { return committed }
    seal = newSeal
    isUncertain = false
    return 0
  }

  /// Removes what a crash left between the seal and the end mark.
  func clean() -> Int32 {
    let start = seal + GPXLayout.seal.count
    let count = length - GPXLayout.endMark.count - start
    guard count > 0 else { return 0 }
    return then(write(spaces(count), at: start)) { storage.sync() }
  }

  /// Cuts off the spare room; the document then ends with the seal, closed. After a failure it stays as it is.
  mutating func finish() -> Int32 {
    guard !isUncertain else { return storage.sync() }
    let end = seal + GPXLayout.seal.count
    let closed = then(write(Array("?>".utf8), at: end)) { storage.sync() }
    let cut = then(closed) { storage.truncate(to: end + 2) }
    if cut == 0 { length = end + 2 }
    return then(cut) { storage.sync() }
  }

  private mutating func grow(to needed: Int) -> Int32 {
    let more = min(max(length / 2, 4 << 10), 1 << 20)
    let newLength = (needed + more) / GPXLayout.sector * GPXLayout.sector
    let extended = then(write(spaces(newLength - length), at: length)) { storage.sync() }
    guard extended == 0 else {
      // Spaces behind the document do no harm, but the room may be wanted.
      _ = storage.truncate(to: length)
      return extended
    }
    let marked = then(write(GPXLayout.endMark, at: newLength - GPXLayout.endMark.count)) {
      storage.sync()
    }
    guard marked == 0 else {
      _ = storage.truncate(to: length)
      return marked
    }
    // In a document that was finished, the end mark's beginning is the seal's end.
    let old = max(length - GPXLayout.endMark.count, seal + GPXLayout.seal.count)
    let code = write(spaces(length - old), at: old)
    if code == 0 { length = newLength }
    return then(code) { storage.sync() }
  }

  private func write(_ bytes: [UInt8], at offset: Int) -> Int32 {
    bytes.withUnsafeBytes { storage.write($0, at: offset) }
  }

  /// The next step, unless the one before failed.
  private func then(_ code: Int32, _ step: () -> Int32) -> Int32 {
    code == 0 ? step() : code
  }
}

/// The system's error number.
struct GPXFailure: Error {
  let code: Int32
}

/// `count` spaces.
private func spaces(_ count: Int) -> [UInt8] {
  [UInt8](repeating: GPXLayout.space, count: max(count, 0))
}
