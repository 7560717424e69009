import LocationKit

extension NMEADecoder {
  typealias Emit = (LocationSourceEvent, Double?) -> Void

  /// No sentence is longer than this; u-blox's longest, with every satellite, has about 700 bytes.
  static var sentenceLimit: Int { 1024 }

  /// Finds sentences in the bytes, any cut.
  mutating func consume(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: Emit) {
    guard problem == nil, let base = bytes.baseAddress, bytes.count > 0 else { return }
    statistics.bytes += bytes.count
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Self.sentenceLimit + 32) { starts in
      guard let table = starts.baseAddress else { return }
      var offset = 0
      if !pending.isEmpty || isOverlong { offset = completePending(base, bytes.count, table, emit) }
      scan(base, from: offset, to: bytes.count, table, emit)
    }
  }

  /// Ends the input. What was good before a strict decoder stopped still goes out.
  mutating func end(_ emit: Emit) {
    if problem == nil { endLastLine(emit) }
    if assembler.flush() { emitEpoch(emit) }
    emitSatellites(emit)
  }

  private mutating func endLastLine(_ emit: Emit) {
    if !pending.isEmpty {
      // The last line may lack its end; then only a checksum shows that it is whole.
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Self.sentenceLimit + 32) { starts in
        guard let table = starts.baseAddress else { return }
        takePending(endedBy: 0, table, emit)
      }
    }
    isOverlong = false
    if lineState.content != .empty { endLine() }
    lineState = NMEALineState()
  }

  /// The loop over whole pieces.
  private mutating func scan(
    _ base: UnsafePointer<UInt8>, from start: Int, to end: Int, _ table: UnsafeMutablePointer<UInt16>, _ emit: Emit
  ) {
    var i = start
    while i < end {
      let byte = base[i]
      if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!"), lineState.content != .comment {
        guard let frame = SentenceFrame.find(base + i, limit: end - i, table) else {
          guard end - i > Self.sentenceLimit else {
            pending.append(contentsOf: UnsafeBufferPointer(start: base + i, count: end - i))
            return
          }
          overflow()
          if problem != nil { return }
          i += 1
          while i < end, !SentenceFrame.ends(base[i]) { i += 1 }
          if i < end { isOverlong = false }
          continue
        }
        i += frame.length
        takeSentence(base + (i - frame.length), frame, terminator: base[i], table, emit)
        if problem != nil { return }
      } else {
        i += 1
        takeNoise(byte)
        if problem != nil { return }
      }
    }
  }

  /// Gives a sentence up that is longer than any; what follows up to its end belongs to it.
  private mutating func overflow() {
    pending.removeAll(keepingCapacity: true)
    isOverlong = true
    lineState.content = .known
    note(.malformed, "sentence of more than \(Self.sentenceLimit) bytes")
  }

  /// Completes the sentence of which an earlier piece had the beginning; returns where the next begins.
  private mutating func completePending(
    _ base: UnsafePointer<UInt8>, _ count: Int, _ table: UnsafeMutablePointer<UInt16>, _ emit: Emit
  ) -> Int {
    var i = 0
    while i < count, !SentenceFrame.ends(base[i]) {
      if !isOverlong {
        if pending.count >= Self.sentenceLimit {
          overflow()
          if problem != nil { return count }
        } else {
          pending.append(base[i])
        }
      }
      i += 1
    }
    guard i < count else { return count }
    if isOverlong {
      isOverlong = false
    } else {
      takePending(endedBy: base[i], table, emit)
      if problem != nil { return count }
    }
    return i
  }

  private mutating func takePending(endedBy byte: UInt8, _ table: UnsafeMutablePointer<UInt16>, _ emit: Emit) {
    var line: [UInt8] = []
    swap(&line, &pending)
    line.append(byte)
    line.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      if let frame = SentenceFrame.find(base, limit: buffer.count, table) {
        takeSentence(base, frame, terminator: byte, table, emit)
      }
    }
    line.removeAll(keepingCapacity: true)
    swap(&line, &pending)
  }

  /// One byte outside of any sentence.
  @inline(__always)
  private mutating func takeNoise(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\n"):
      if lineState.isAfterCarriageReturn {
        lineState.isAfterCarriageReturn = false
      } else {
        endLine()
      }
    case UInt8(ascii: "\r"):
      endLine()
      lineState.isAfterCarriageReturn = true
    default:
      lineState.isAfterCarriageReturn = false
      switch lineState.content {
      case .empty:
        lineState.content =
          byte == UInt8(ascii: "#")
          ? .comment : byte == UInt8(ascii: "\\") ? .tagBlock : Self.isBlank(byte) ? .empty : .noise
      case .known: if !Self.isBlank(byte) { lineState.content = byte == UInt8(ascii: "\\") ? .tagBlock : .noise }
      case .tagBlock: if byte == UInt8(ascii: "\\") { lineState.content = .known }
      case .noise, .comment: break
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == 0
  }

  @inline(__always)
  private mutating func endLine() {
    if lineState.content == .noise || lineState.content == .tagBlock { note(.malformed, "bytes that are no sentence") }
    lineState.content = .empty
    statistics.lines += 1
  }

  /// Counts something bad; in strict mode remembers the first and stops.
  @inline(never)
  mutating func note(_ kind: NMEAProblem.Kind, _ reason: @autoclosure () -> String) {
    switch kind {
    case .checksum: statistics.checksum += 1
    case .malformed: statistics.malformed += 1
    case .outOfRange: statistics.outOfRange += 1
    }
    if isStrict, problem == nil {
      problem = NMEAProblem(kind: kind, line: statistics.lines + 1, reason: reason())
    }
  }
}
