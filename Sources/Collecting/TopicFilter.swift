import Publishing

/// An MQTT topic filter, which also derives the device from a matching topic.
public struct TopicFilter: Sendable, Hashable, CustomStringConvertible {
  /// The filter as it was given.
  public let text: String
  private let levels: [Substring]

  /// Creates a filter; `nil` if it is invalid in MQTT. A `+` stands for a level, and a `#` at the end for all others.
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

  /// The filter as it was given.
  public var description: String { text }

  /// The size limit of a device's name in bytes: a database's index does not accept longer ones.
  static let limit = 1000

  /// The filters to subscribe to: this one, and those of transitions and cards, which OwnTracks publishes below it.
  public var subscriptions: [String] { levels.last == "#" ? [text] : [text, text + "/event", text + "/info"] }

  /// The message kinds that OwnTracks publishes below a device's topic.
  private static let kinds: Set<Substring> = [
    "event", "info", "waypoint", "waypoints", "cmd", "status", "step", "dump", "beacon", "request", "response",
  ]

  /// The device of a topic: the levels that match the wildcards, or without wildcards the last two. `nil` for a topic
  /// that does not match, or a device that is empty or longer than `limit`.
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
