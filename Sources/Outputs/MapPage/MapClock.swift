public import FoundationEssentials
import Records

/// The clock that a person reads the times of a page by: how far it is ahead of UTC, which may change in a period.
public struct MapClock: Sendable, Hashable {
  /// From when on it is how far ahead of UTC.
  public struct Change: Sendable, Hashable {
    /// When it begins. The first change holds before its time as well.
    public var time: Date
    /// Seconds east of UTC.
    public var offset: Int
    /// What it is called, such as "CEST" or "UTC+02:00".
    public var name: String

    /// Creates a change. Without a name it is called by its offset.
    public init(time: Date, offset: Int, name: String? = nil) {
      (self.time, self.offset, self.name) = (time, offset, name ?? Self.name(of: offset))
    }

    private static func name(of offset: Int) -> String {
      let minutes = abs(offset) / 60
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return offset == 0 ? "UTC" : "UTC\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
    }
  }

  /// The first one, and what follows it by time.
  public let changes: [Change]

  /// Creates a clock; `nil` without a change.
  public init?(_ changes: [Change]) {
    guard !changes.isEmpty else { return nil }
    self.changes = changes
  }

  /// Creates a clock that is always as far ahead of UTC.
  public init(offset: Int = 0) { changes = [Change(time: .distantPast, offset: offset)] }

  /// What holds at a time.
  public func change(at time: Date) -> Change { changes.last { $0.time <= time } ?? changes[0] }
}

extension MapClock {
  /// Reads "7200", and after it the time and the offset of each change: "7200,2026-10-25T01:00:00Z,3600".
  init?(parsing text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count % 2 == 1 else { return nil }
    var changes: [Change] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard let offset = Int(parts[index]), abs(offset) <= 86_400,
        let time = index == 0 ? .distantPast : Date(timestamp: parts[index - 1]),
        changes.last.map({ $0.time < time }) ?? true
      else { return nil }
      changes.append(Change(time: time, offset: offset))
    }
    self.changes = changes
  }

  /// Writes the changes as an array of `since`, in seconds since 1970 as the trail's points have them, `offset` and `name`.
  func append(to buffer: inout RecordBuffer) {
    buffer.appendArray(changes) { buffer, change in
      buffer.appendObject {
        $0.appendMember("since", change.time.timeIntervalSince1970)
        $0.appendMember("offset", change.offset)
        $0.appendMember("name", change.name)
      }
    }
  }
}
