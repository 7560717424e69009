public import Replay

/// One sentence as text: for reading sentences that `NMEADecoder` does not read, and for writing sentences.
///
///     let sentence = try NMEASentence(parsing: "$HCHDG,101.1,,,7.1,W*3C")
///     sentence.formatter   // "HDG"
///     sentence.fields[4]   // "W"
///     NMEASentence(address: "GPZDA", fields: ["160012", "11", "03", "2004", "", ""]).description
///
/// Creating one allocates; the decoder does not use this type.
public struct NMEASentence: Sendable, Hashable, CustomStringConvertible {
  /// Everything before the first comma, without the `$` or `!`: talker and formatter, or a vendor's own address.
  public var address: String
  /// The text between the commas, without the address and the checksum. Empty fields are unknown values.
  public var fields: [String]
  /// Whether the sentence begins with `!` instead of `$`, as in AIS.
  public var isEncapsulated: Bool
  /// Whether the sentence came with a checksum; `description` always adds one.
  public let hadChecksum: Bool

  /// Creates a sentence for writing.
  public init(address: String, fields: [String], isEncapsulated: Bool = false) {
    self.address = address
    self.fields = fields
    self.isEncapsulated = isEncapsulated
    hadChecksum = false
  }

  /// Parses one sentence and ignores a line end after it.
  ///
  /// - Throws: The problem, with line 1.
  public init(parsing text: String) throws(LineProblem) {
    var line = Array(text.utf8)
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
    let parsed: Result<NMEASentence, LineProblem> = line.withUnsafeBufferPointer { bytes in
      func failure(_ reason: String, _ kind: LineProblem.Kind = .malformed) -> Result<NMEASentence, LineProblem> {
        .failure(LineProblem(kind: kind, line: 1, reason: reason))
      }
      guard bytes[0] == UInt8(ascii: "$") || bytes[0] == UInt8(ascii: "!") else {
        return failure("no $ or ! at the beginning")
      }
      return SentenceFrame.withTable { table in
        guard let frame = SentenceFrame(bytes, table), frame.length == bytes.count - 1 else {
          return failure("bytes that a sentence must not have")
        }
        switch frame.checksum {
        case .good, .missing: return .success(NMEASentence(frame.fields, hadChecksum: frame.checksum == .good))
        case .cutOff: return failure("checksum is cut off")
        case .bad: return failure("checksum does not fit the sentence", .checksum)
        }
      }
    }
    self = try parsed.get()
  }

  init(_ sentence: NMEAFields, hadChecksum: Bool) {
    address = String(decoding: sentence.bytes(0), as: UTF8.self)
    fields = (1..<max(1, sentence.count)).map { String(decoding: sentence.bytes($0), as: UTF8.self) }
    isEncapsulated = sentence.isEncapsulated
    self.hadChecksum = hadChecksum
  }

  /// Whether a vendor defined the sentence: its address begins with P and has no talker.
  public var isProprietary: Bool {
    guard address.hasPrefix("P") else { return false }
    let kind = Array(address.utf8).withUnsafeBufferPointer { NMEASentenceKind(address: $0) }
    // Talkers such as PQ begin with P, too.
    return kind == .unsupported || kind.isVendors
  }

  /// The talker, such as GP, GN or HC; `nil` for a vendor's sentence.
  public var talker: String? { isProprietary || address.utf8.count < 3 ? nil : String(address.prefix(2)) }

  /// The kind of sentence, such as GGA; for a vendor's sentence the whole address.
  public var formatter: String { talker == nil ? address : String(address.dropFirst(2)) }

  /// The sentence with its checksum, without a line end.
  public var description: String {
    let body = ([address] + fields).joined(separator: ",")
    let sum = body.utf8.reduce(0, ^)
    let digits = Array("0123456789ABCDEF")
    return "\(isEncapsulated ? "!" : "$")\(body)*\(digits[Int(sum >> 4)])\(digits[Int(sum & 15)])"
  }
}

/// Finds the sentences in a stream of bytes, for programs that need more than locations.
///
/// The bytes may come in pieces of any size. The reader skips sentences with a wrong checksum, cut-off sentences
/// without a checksum, and all other text.
///
///     var reader = NMEASentenceReader()
///     reader.read(bytes) { sentence in
///       if sentence.formatter == "DBT" { print("depth", sentence.fields[2]) }
///     }
public struct NMEASentenceReader: Sendable {
  private struct Found: SentenceConsumer {
    var sentences: [NMEASentence] = []
    let isDone = false
    mutating func receive(_ sentence: NMEAFields, hadChecksum: Bool) {
      sentences.append(NMEASentence(sentence, hadChecksum: hadChecksum))
    }
    mutating func refuse(_ kind: LineProblem.Kind, _ reason: StaticString) {}
    mutating func endLine() {}
    mutating func receive(tagTime: Int64) {}
  }

  private var scanner = SentenceScanner()

  /// Creates a reader.
  public init() {}

  /// Reads the next bytes and calls `body` for every sentence they complete, in order.
  public mutating func read(_ bytes: some Sequence<UInt8>, _ body: (NMEASentence) -> Void) {
    var found = Found()
    Array(bytes).withUnsafeBufferPointer { scanner.scan($0, for: &found) }
    found.sentences.forEach(body)
  }

  /// Ends the input. A last sentence without a line end counts if its checksum is right.
  public mutating func finish(_ body: (NMEASentence) -> Void) {
    var found = Found()
    scanner.finish(for: &found)
    found.sentences.forEach(body)
  }
}
