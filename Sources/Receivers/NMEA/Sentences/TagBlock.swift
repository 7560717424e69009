/// Reads the time of a TAG block of NMEA 0183 4.x, `\\s:NAME,c:SECONDS*hh\\`, before a sentence.
struct TagBlock: Sendable {
  private var bytes: [UInt8] = []

  /// Takes the next byte between the backslashes. A block that is longer than any sentence has no time.
  mutating func read(_ byte: UInt8) {
    if bytes.count <= SentenceScanner.sentenceLimit { bytes.append(byte) }
  }

  /// The Unix time of the block in nanoseconds; `nil` without a time or with a wrong checksum. Some senders give
  /// seconds, others milliseconds.
  var time: Int64? {
    let parts = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    guard parts.count == 2, let body = parts.first, let checksum = parts.last, checksum.count == 2,
      let high = checksum.first.flatMap(SentenceFrame.digit), let low = checksum.last.flatMap(SentenceFrame.digit),
      body.reduce(0, ^) == high << 4 | low
    else { return nil }
    let field = body.split(separator: UInt8(ascii: ",")).last { $0.starts(with: "c:".utf8) }
    guard let digits = field?.dropFirst(2).map(NMEAFields.digit), digits.count < 14, !digits.contains(nil) else {
      return nil
    }
    let number = digits.reduce(0) { $0 * 10 + Int64($1 ?? 0) }
    switch digits.count {
    case 9, 10: return number * 1_000_000_000
    case 12, 13: return number * 1_000_000
    default: return nil
    }
  }
}
