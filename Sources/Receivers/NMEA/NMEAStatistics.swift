/// The counts of a decoder. All of them start at 0 and never go down.
public struct NMEAStatistics: Sendable, Hashable, Codable {
  /// Bytes taken in.
  public var bytes = 0
  /// Lines ended, by LF, CR LF or CR alone.
  public var lines = 0
  /// Sentences with a correct checksum or without one, including unsupported ones.
  public var sentences = 0
  /// Locations handed out.
  public var locations = 0
  /// Epochs in which the receiver reported that it has no fix.
  public var epochsWithoutFix = 0
  /// Sentences refused because their checksum is wrong.
  public var checksum = 0
  /// Sentences and lines that violate NMEA 0183: cut off, too long, too few fields, a letter in place of a number,
  /// bytes outside a sentence.
  public var malformed = 0
  /// Valid sentences that this decoder does not read: AIS, other instruments, vendors' own. Not an error.
  public var unsupported = 0
  /// Values that no receiver can mean, such as a latitude of 91° or a 25th hour. The rest of the sentence is used.
  public var outOfRange = 0

  /// Creates statistics with all counts 0.
  public init() {}

  /// Refused lines and values: `checksum`, `malformed` and `outOfRange`.
  public var problems: Int { checksum + malformed + outOfRange }

  /// Adds another decoder's counts.
  public mutating func add(_ other: NMEAStatistics) {
    bytes += other.bytes
    lines += other.lines
    sentences += other.sentences
    locations += other.locations
    epochsWithoutFix += other.epochsWithoutFix
    checksum += other.checksum
    malformed += other.malformed
    unsupported += other.unsupported
    outOfRange += other.outOfRange
  }
}
