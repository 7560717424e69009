/// An MQTT topic filter, and which device a message is of whose topic it matches.
public struct TopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// As it was given.
  public let text: String
  private let levels: [Substring]

  /// Takes a filter; `nil` when MQTT does not allow it. A `+` stands for a level, and a `#` at the end for all others.
  public init?(_ text: String) {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    guard !text.isEmpty, text.utf8.count <= 60_000, MQTTText.isValid(text), !text.hasPrefix("$share/") else {
      return nil
    }
    for (index, level) in levels.enumerated() where level.contains("+") || level.contains("#") {
      guard level == "+" || (level == "#" && index == levels.count - 1) else { return nil }
    }
    (self.text, self.levels) = (text, levels)
  }

  /// As it was given.
  public var description: String { text }

  /// The most bytes of a device's name: a database's index takes no longer ones.
  static let limit = 1000

  /// The filters that are subscribed to: this one, and those of transitions and cards, which OwnTracks puts below.
  public var subscriptions: [String] { levels.last == "#" ? [text] : [text, text + "/event", text + "/info"] }

  /// The kinds of messages that OwnTracks has below a device's topic.
  private static let kinds: Set<Substring> = [
    "event", "info", "waypoint", "waypoints", "cmd", "status", "step", "dump", "beacon", "request", "response",
  ]

  /// The device that a topic is of: the levels that the wildcards stand for, or without any the last two; `nil` for a topic
  /// that does not match, or where they are empty or longer than `limit`.
  public func device(of topic: String) -> String? {
    var parts = topic.split(separator: "/", omittingEmptySubsequences: false)[...]
    let ownsRest = levels.last == "#"
    let fixed = ownsRest ? levels.dropLast() : levels[...]
    if let last = parts.last, Self.kinds.contains(last), parts.count > (ownsRest ? fixed.count + 1 : fixed.count) {
      parts = parts.dropLast()
    }
    guard ownsRest ? parts.count > fixed.count : parts.count == fixed.count else { return nil }
    var name: [Substring] = []
    for (level, part) in zip(fixed, parts) {
      if level == "+" { name.append(part) } else if level != part { return nil }
    }
    name += parts.dropFirst(fixed.count)
    if name.isEmpty { name = Array(parts.suffix(2)) }
    let device = name.joined(separator: "/")
    return 1...Self.limit ~= device.utf8.count ? device : nil
  }
}
