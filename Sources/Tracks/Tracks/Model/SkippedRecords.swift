/// A record of a recording, or one of its values, that was skipped because it cannot be used.
public struct SkippedRecord: Sendable, Hashable {
  /// The kinds of problems of a record.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The record is torn, or not a record at all.
    case damaged
    /// The record has no position on earth.
    case position
    /// One of its values is not a time from 1970 to 2099; the record counts without it.
    case time
    /// One of its values is not a number; the record counts without it.
    case number
    /// One of its values is not a text, or too long; the record counts without it.
    case text

    /// Whether only a value is lost, and not the record.
    var isValue: Bool { self == .time || self == .number || self == .text }
  }

  /// The kind of the problem.
  public var kind: Kind
  /// The name of the input for a person: the name of the file.
  public var input: String
  /// The line of the problem, from 1.
  public var line: Int
  /// The problem in words that follow its place: "has an invalid number: '--'".
  public var problem: String

  /// Describes a record.
  public init(_ kind: Kind, input: String, line: Int, problem: String) {
    (self.kind, self.input, self.line, self.problem) = (kind, input, line, problem)
  }
}

/// The records and values that were skipped: the number of each kind, and the place of the first.
public struct SkippedRecords: Sendable, Hashable {
  /// The records or values of one kind.
  public struct Group: Sendable, Hashable {
    /// The first of them.
    public var first: SkippedRecord
    /// The number of records or values.
    public var count: Int
  }

  /// One group for each kind that occurred, in the order of their first records.
  public private(set) var groups: [Group] = []

  /// Creates an empty collection.
  public init() {}

  /// The number of records and values of all kinds.
  public var count: Int { groups.reduce(0) { $0 + $1.count } }

  /// Whether there are none.
  public var isEmpty: Bool { groups.isEmpty }

  /// Adds a record.
  public mutating func add(_ record: SkippedRecord) {
    if let index = groups.firstIndex(where: { $0.first.kind == record.kind }) {
      groups[index].count += 1
    } else {
      groups.append(Group(first: record, count: 1))
    }
  }

  /// "3 records: 2 damaged (the first at drive.ndjson:174), 1 without a position on earth (drive.ndjson:9)", followed
  /// by the values: "1 value: 1 invalid time (drive.ndjson:7)".
  package var words: String {
    let lists = [false, true].compactMap { isValue -> String? in
      let groups = groups.filter { $0.first.kind.isValue == isValue }
      guard !groups.isEmpty else { return nil }
      let count = groups.reduce(0) { $0 + $1.count }
      let parts = groups.map { group in
        let place = "\(group.first.input):\(group.first.line)"
        return "\(Self.words(group.first.kind, group.count)) (\(group.count > 1 ? "the first at " : "")\(place))"
      }
      return "\(count) \(isValue ? "value" : "record")\(count == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
    }
    return lists.joined(separator: "; ")
  }

  private static func words(_ kind: SkippedRecord.Kind, _ count: Int) -> String {
    switch kind {
    case .damaged: "\(count) damaged"
    case .position: "\(count) without a position on earth"
    case .time, .number, .text: "\(count) invalid \(kind)\(count == 1 ? "" : "s")"
    }
  }
}
