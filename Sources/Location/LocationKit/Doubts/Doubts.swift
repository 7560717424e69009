/// Reasons to doubt a fix that the receiver reports with confidence. Not Core Location's.
///
/// A manager that monitors doubts adds them to its fixes, and drops nothing for them. The article <doc:DoubtfulFixes> says
/// from where on each is noticed.
public struct Doubts: OptionSet, Sendable, Hashable, Codable {
  /// The bits.
  public let rawValue: UInt8

  /// Creates doubts from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The speed and the way between the positions disagree by more than both accuracies, or the position has jumped.
  public static let speed = Self(rawValue: 1 << 0)
  /// The position stands still while a speed is reported, or moves while the speed is that of a rest.
  public static let standstill = Self(rawValue: 1 << 1)
  /// The date is impossible: too early, too late, or weeks away from the one before.
  public static let date = Self(rawValue: 1 << 2)
  /// Another receiver of the same source is farther away than both accuracies.
  public static let receivers = Self(rawValue: 1 << 3)
  /// The signals of all satellites are suddenly alike, or have fallen together.
  public static let signals = Self(rawValue: 1 << 4)
  /// The receiver itself reports jamming, or a fault of its antenna.
  public static let receiver = Self(rawValue: 1 << 5)

  private static let known: [(doubt: Doubts, name: String, sentence: String)] = [
    (.speed, "speed", "the speed and the way between the positions disagree"),
    (.standstill, "standstill", "the position stands still while a speed is reported, or the reverse"),
    (.date, "date", "the date is impossible"),
    (.receivers, "receivers", "two receivers of this gpsd are apart by more than their accuracies"),
    (.signals, "signals", "the signals of all satellites are suddenly alike, or have fallen together"),
    (.receiver, "receiver", "the receiver reports jamming or a fault of its antenna"),
  ]

  /// Every doubt, each alone.
  package static let all = known.map(\.doubt)

  /// Creates doubts from their names with blanks between them, as records have them. Other words are ignored.
  public init(names: String) {
    let words = names.split(separator: " ")
    self.init(Self.known.filter { entry in words.contains { $0 == entry.name } }.map(\.doubt))
  }

  /// The names with blanks between them, as records have them; empty without doubts.
  public var names: String { Self.combinations[Int(rawValue) % Self.combinations.count] }

  /// The names of every combination, made once, because each record of a fix in doubt needs them.
  private static let combinations = (0..<1 << known.count).map { bits in
    known.filter { Self(rawValue: UInt8(bits)).contains($0.doubt) }.map(\.name).joined(separator: " ")
  }

  /// A sentence for each doubt, without a capital and a full stop.
  public var sentences: [String] { Self.known.filter { contains($0.doubt) }.map(\.sentence) }
}
