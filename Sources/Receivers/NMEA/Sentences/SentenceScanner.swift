import Replay

/// Receives the sentences and lines that a `SentenceScanner` finds.
protocol SentenceConsumer {
  /// Receives a sentence whose checksum is right, or that needs no checksum.
  mutating func receive(_ sentence: NMEAFields, hadChecksum: Bool)
  /// Called for a bad sentence, or a line that is not a sentence.
  mutating func refuse(_ kind: LineProblem.Kind, _ reason: StaticString)
  mutating func endLine()
  /// Receives the Unix time of a TAG block, in nanoseconds.
  mutating func receive(tagTime: Int64)
  var isDone: Bool { get }
}

/// Finds the sentences in a stream of bytes. The pieces of the stream do not affect the result.
struct SentenceScanner: Sendable {
  /// The longest accepted sentence; u-blox's longest, with every satellite, has about 700 bytes.
  static let sentenceLimit = 1024

  /// The content of the line so far.
  private enum Content {
    case empty
    /// Only a TAG block or sentences.
    case sentences
    /// Bytes that belong to no sentence.
    case noise
    /// A comment: everything up to the line's end is ignored.
    case comment
    /// A TAG block, up to its second backslash.
    case tagBlock
  }

  private var content = Content.empty
  /// Whether the last byte was CR, so that an LF now does not end a second line.
  private var isAfterCarriageReturn = false
  /// The start of a sentence at the end of the last piece.
  private var pending: [UInt8] = []
  /// Whether the current sentence is longer than the limit; its rest is skipped.
  private var isOverlong = false
  private var tag = TagBlock()

  init() { pending.reserveCapacity(Self.sentenceLimit + 1) }

  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, for consumer: inout some SentenceConsumer) {
    var i = pending.isEmpty && !isOverlong ? 0 : completePending(bytes, &consumer)
    SentenceFrame.withTable { table in
      while i < bytes.count, !consumer.isDone {
        let byte = bytes[i]
        guard byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!"), content != .comment else {
          scanOutside(byte, &consumer)
          i += 1
          continue
        }
        let rest = UnsafeBufferPointer(rebasing: bytes[i...])
        if let frame = SentenceFrame(rest, table) {
          i += frame.length
          finish(frame, endedBy: bytes[i], &consumer)
        } else if rest.count <= Self.sentenceLimit {
          pending.append(contentsOf: rest)
          return
        } else {
          beginOverlong(&consumer)
          i = bytes[(i + 1)...].firstIndex(where: SentenceFrame.ends) ?? bytes.count
          isOverlong = i == bytes.count
        }
      }
    }
  }

  /// Ends the stream. If the last line has no end, only a checksum shows that its sentence is complete.
  mutating func finish(for consumer: inout some SentenceConsumer) {
    if !pending.isEmpty { finishPending(endedBy: 0, &consumer) }
    isOverlong = false
    if content != .empty { endLine(&consumer) }
    isAfterCarriageReturn = false
  }

  /// Completes the sentence that an earlier piece began. Returns its end.
  private mutating func completePending(
    _ bytes: UnsafeBufferPointer<UInt8>, _ consumer: inout some SentenceConsumer
  ) -> Int {
    let end = bytes.firstIndex(where: SentenceFrame.ends)
    if !isOverlong {
      pending.append(contentsOf: bytes[..<(end ?? bytes.count)].prefix(Self.sentenceLimit + 1 - pending.count))
      if pending.count > Self.sentenceLimit { beginOverlong(&consumer) }
    }
    guard let end, !consumer.isDone else { return bytes.count }
    if isOverlong { isOverlong = false } else { finishPending(endedBy: bytes[end], &consumer) }
    return end
  }

  private mutating func finishPending(endedBy byte: UInt8, _ consumer: inout some SentenceConsumer) {
    var sentence: [UInt8] = []
    swap(&sentence, &pending)
    sentence.append(byte)
    sentence.withUnsafeBufferPointer { bytes in
      SentenceFrame.withTable { table in
        if let frame = SentenceFrame(bytes, table) { finish(frame, endedBy: byte, &consumer) }
      }
    }
    sentence.removeAll(keepingCapacity: true)
    swap(&sentence, &pending)
  }

  private mutating func beginOverlong(_ consumer: inout some SentenceConsumer) {
    pending.removeAll(keepingCapacity: true)
    isOverlong = true
    content = .sentences
    consumer.refuse(.malformed, "sentence of more than 1024 bytes")
  }

  private mutating func finish(_ frame: SentenceFrame, endedBy byte: UInt8, _ consumer: inout some SentenceConsumer) {
    isAfterCarriageReturn = false
    // Binary data contains dollar signs, too. Without an address it is not a bad sentence but no sentence.
    guard frame.hasAddress else {
      content = .noise
      return
    }
    // A logger may write text before each sentence.
    content = .sentences
    switch frame.checksum {
    case .good: consumer.receive(frame.fields, hadChecksum: true)
    // Without a checksum a line end shows that the sentence is complete, as in gpsd.
    case .missing where byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r"):
      consumer.receive(frame.fields, hadChecksum: false)
    case .missing: consumer.refuse(.malformed, "sentence is cut off")
    case .cutOff: consumer.refuse(.malformed, "checksum is cut off")
    case .bad: consumer.refuse(.checksum, "checksum does not fit the sentence")
    }
  }

  private mutating func scanOutside(_ byte: UInt8, _ consumer: inout some SentenceConsumer) {
    let wasAfterCarriageReturn = isAfterCarriageReturn
    isAfterCarriageReturn = byte == UInt8(ascii: "\r")
    switch byte {
    case UInt8(ascii: "\n"): if !wasAfterCarriageReturn { endLine(&consumer) }
    case UInt8(ascii: "\r"): endLine(&consumer)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), 0: break
    case UInt8(ascii: "#") where content == .empty: content = .comment
    case UInt8(ascii: "\\"):
      switch content {
      case .empty, .sentences, .noise:
        content = .tagBlock
        tag = TagBlock()
      case .tagBlock:
        content = .sentences
        if let time = tag.time { consumer.receive(tagTime: time) }
      case .comment: break
      }
    case _ where content == .tagBlock: tag.read(byte)
    default: if content == .empty { content = .noise }
    }
  }

  private mutating func endLine(_ consumer: inout some SentenceConsumer) {
    if content == .noise || content == .tagBlock { consumer.refuse(.malformed, "bytes that are not a sentence") }
    content = .empty
    consumer.endLine()
  }
}
