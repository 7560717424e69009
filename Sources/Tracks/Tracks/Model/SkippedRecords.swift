/// A record of a recording that was passed over, since it says nothing that can be used.
public struct SkippedRecord: Sendable, Hashable {
  /// What is wrong with a record.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// It is torn, or no record at all.
    case damaged
    /// It has no position on earth.
    case position
    /// It has a time that is none.
    case time
    /// It has a number that is none.
    case number
  }

  /// What is wrong with it.
  public var kind: Kind
  /// What a person calls the input: the name of the file.
  public var input: String
  /// The line where that shows, from 1.
  public var line: Int
  /// What is wrong with it, in words that follow its place: "has a number that is none: 'NaN'".
  public var problem: String

  /// Describes a record.
  public init(_ kind: Kind, input: String, line: Int, problem: String) {
    (self.kind, self.input, self.line, self.problem) = (kind, input, line, problem)
  }
}

/// The records that were passed over: how many of each kind, and where the first of them is.
public struct SkippedRecords: Sendable, Hashable {
  /// Those of one kind.
  public struct Group: Sendable, Hashable {
    /// The first of them.
    public var first: SkippedRecord
    /// How many there are.
    public var count: Int
  }

  /// One for each kind that there is, in the order of their first records.
  public private(set) var groups: [Group] = []

  /// Creates the records of nothing.
  public init() {}

  /// How many there are of all kinds.
  public var count: Int { groups.reduce(0) { $0 + $1.count } }

  /// Whether there are none.
  public var isEmpty: Bool { groups.isEmpty }

  /// Takes one more.
  public mutating func add(_ record: SkippedRecord) {
    if let index = groups.firstIndex(where: { $0.first.kind == record.kind }) {
      groups[index].count += 1
    } else {
      groups.append(Group(first: record, count: 1))
    }
  }

  /// "3 records: 2 damaged (the first at drive.ndjson:174), 1 with a time that is none (drive.ndjson:9)".
  package var words: String {
    let parts = groups.map { group in
      let place = "\(group.first.input):\(group.first.line)"
      return "\(group.count) \(Self.words(group.first.kind)) (\(group.count > 1 ? "the first at " : "")\(place))"
    }
    return "\(count) record\(count == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
  }

  /// What is said of the records of a kind, after their number.
  private static func words(_ kind: SkippedRecord.Kind) -> String {
    switch kind {
    case .damaged: "damaged"
    case .position: "without a position on earth"
    case .time: "with a time that is none"
    case .number: "with a number that is none"
    }
  }
}
