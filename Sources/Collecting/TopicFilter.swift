import Publishing

/// An MQTT topic filter, which also derives the device from a matching topic.
public struct TopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// The filter as it was given.
  public let text: String
  /// The levels; `nil` for one that a `+` stands for. Without the `#` at the end, which stands for one level or more.
  private let levels: [Substring?]
  private let ownsRest: Bool

  /// Creates a filter; `nil` if it is invalid in MQTT. A `+` stands for a level, and a `#` at the end for all others.
  public init?(_ text: String) {
    var levels = Self.levels(of: text)
    guard !text.isEmpty, text.utf8.count <= 60_000, MQTTText.isValid(text), !text.hasPrefix("$share/") else {
      return nil
    }
    ownsRest = levels.last == "#"
    if ownsRest { levels.removeLast() }
    guard levels.allSatisfy({ level in level == "+" || !level.utf8.contains { "+#".utf8.contains($0) } }) else {
      return nil
    }
    self.text = text
    self.levels = levels.map { $0 == "+" ? nil : $0 }
  }

  /// In UTF-8, as MQTT divides a topic. Characters would be a quarter of a message's instructions.
  private static func levels(of topic: String) -> [Substring] {
    topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// The filter as it was given.
  public var description: String { text }

  /// The size limit of a device's name in bytes: a database's index does not accept longer ones.
  static let limit = 1000

  /// The filters to subscribe to: this one, and those of transitions and cards, which OwnTracks publishes below it.
  public var subscriptions: [String] { ownsRest ? [text] : [text, text + "/event", text + "/info"] }

  /// The message kinds that OwnTracks publishes below a device's topic.
  private static let kinds: Set<Substring> = [
    "event", "info", "waypoint", "waypoints", "cmd", "status", "step", "dump", "beacon", "request", "response",
  ]

  /// The device of a topic: the levels that match the wildcards, or without wildcards the last two. `nil` for a topic
  /// that does not match, or a device that is empty or longer than `limit`.
  public func device(of topic: String) -> String? {
    var parts = Self.levels(of: topic)[...]
    let withoutKind = ownsRest ? levels.count + 1 : levels.count
    if parts.count > withoutKind, let last = parts.last, Self.kinds.contains(last) { parts.removeLast() }
    guard ownsRest ? parts.count > levels.count : parts.count == levels.count else { return nil }
    var name: [Substring] = []
    for (level, part) in zip(levels, parts) {
      if let level {
        if level != part { return nil }
      } else {
        name.append(part)
      }
    }
    name += parts.dropFirst(levels.count)
    if name.isEmpty { name = Array(parts.suffix(2)) }
    let device = name.joined(separator: "/")
    return 1...Self.limit ~= device.utf8.count ? device : nil
  }
}
