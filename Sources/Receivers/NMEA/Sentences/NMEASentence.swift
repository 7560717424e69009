/// One sentence as text: for reading what `NMEADecoder` does not, and for writing sentences.
///
///     let sentence = try NMEASentence(parsing: "$HCHDG,101.1,,,7.1,W*3C")
///     sentence.formatter   // "HDG"
///     sentence.fields[4]   // "W"
///     NMEASentence(address: "GPZDA", fields: ["160012", "11", "03", "2004", "", ""]).description
///
/// Making one allocates; the decoder does not use it.
public struct NMEASentence: Sendable, Hashable, CustomStringConvertible {
  /// Everything before the first comma, without the `$` or `!`: talker and formatter, or a vendor's own.
  public var address: String
  /// What is between the commas, without the address and the checksum. Empty ones are unknown values.
  public var fields: [String]
  /// Whether it begins with `!` instead of `$`, as AIS does.
  public var isEncapsulated: Bool
  /// Whether it came with a checksum. One that is made here is written with one.
  public let hadChecksum: Bool

  /// Makes a sentence to be written.
  public init(address: String, fields: [String], isEncapsulated: Bool = false) {
    self.address = address
    self.fields = fields
    self.isEncapsulated = isEncapsulated
    hadChecksum = false
  }

  /// Reads one sentence; a line end after it is ignored.
  ///
  /// - Throws: What is wrong with it; its line is 1.
  public init(parsing text: String) throws(NMEAProblem) {
    var line = Array(text.utf8)
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
    let parsed: Result<NMEASentence, NMEAProblem> = line.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, base[0] == UInt8(ascii: "$") || base[0] == UInt8(ascii: "!") else {
        return .failure(NMEAProblem(kind: .malformed, line: 1, reason: "no $ or ! at the beginning"))
      }
      return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: NMEADecoder.sentenceLimit + 32) { table in
        guard let starts = table.baseAddress, let frame = SentenceFrame.find(base, limit: buffer.count, starts),
          frame.length == buffer.count - 1
        else {
          return .failure(NMEAProblem(kind: .malformed, line: 1, reason: "bytes that no sentence may have"))
        }
        switch frame.checksum {
        case .good, .missing: return .success(NMEASentence(base, frame, starts))
        case .cutOff: return .failure(NMEAProblem(kind: .malformed, line: 1, reason: "checksum is cut off"))
        case .bad:
          return .failure(NMEAProblem(kind: .checksum, line: 1, reason: "checksum does not fit the sentence"))
        }
      }
    }
    self = try parsed.get()
  }

  init(_ base: UnsafePointer<UInt8>, _ frame: SentenceFrame, _ starts: UnsafePointer<UInt16>) {
    let table = NMEAFields(base: base + 1, starts: starts, count: frame.fieldCount)
    address = String(decoding: table.bytes(0), as: UTF8.self)
    fields = (1..<max(1, table.count)).map { String(decoding: table.bytes($0), as: UTF8.self) }
    isEncapsulated = base[0] == UInt8(ascii: "!")
    hadChecksum = frame.checksum == .good
  }

  /// Whether a vendor defined it: its address begins with P and has no talker.
  public var isProprietary: Bool { address.hasPrefix("P") && NMEASentenceKind.isProprietary(address) }

  /// Who speaks, as GP, GN or HC; `nil` for a vendor's sentence.
  public var talker: String? { isProprietary || address.utf8.count < 3 ? nil : String(address.prefix(2)) }

  /// What kind of sentence it is, as GGA; for a vendor's the whole address.
  public var formatter: String { talker == nil ? address : String(address.dropFirst(2)) }

  /// The sentence as it is sent, with its checksum, without a line end.
  public var description: String {
    let body = ([address] + fields).joined(separator: ",")
    let sum = body.utf8.reduce(0, ^)
    let digits = Array("0123456789ABCDEF")
    return "\(isEncapsulated ? "!" : "$")\(body)*\(digits[Int(sum >> 4)])\(digits[Int(sum & 15)])"
  }
}
