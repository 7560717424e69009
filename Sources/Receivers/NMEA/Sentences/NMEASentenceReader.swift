/// Finds the sentences in a stream of bytes, for those who want more than locations.
///
/// The bytes may come in pieces of any size. Sentences with a wrong checksum, or without one and cut off, are
/// passed over, as is everything that is no sentence.
///
///     var reader = NMEASentenceReader()
///     reader.read(bytes) { sentence in
///       if sentence.formatter == "DBT" { print("depth", sentence.fields[2]) }
///     }
public struct NMEASentenceReader: Sendable {
  private var pending: [UInt8] = []

  /// Creates a reader.
  public init() {}

  /// Takes the next bytes and calls `take` for every sentence they complete, in order.
  public mutating func read(_ bytes: some Sequence<UInt8>, _ take: (NMEASentence) -> Void) {
    for byte in bytes {
      if !pending.isEmpty {
        if !SentenceFrame.ends(byte) {
          if pending.count <= NMEADecoder.sentenceLimit { pending.append(byte) }
          continue
        }
        complete(with: byte, take)
      }
      if byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!") { pending.append(byte) }
    }
  }

  /// Ends the input: a last sentence without a line end counts if its checksum is right.
  public mutating func finish(_ take: (NMEASentence) -> Void) {
    if !pending.isEmpty { complete(with: 0, take) }
  }

  private mutating func complete(with byte: UInt8, _ take: (NMEASentence) -> Void) {
    pending.append(byte)
    let sentence: NMEASentence? = pending.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: NMEADecoder.sentenceLimit + 32) { table in
        guard let starts = table.baseAddress, let frame = SentenceFrame.find(base, limit: buffer.count, starts),
          NMEADecoder.isAcceptable(frame, endedBy: byte), starts[1] > 3
        else { return nil }
        return NMEASentence(base, frame, starts)
      }
    }
    pending.removeAll(keepingCapacity: true)
    if let sentence { take(sentence) }
  }
}
