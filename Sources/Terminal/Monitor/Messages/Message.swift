import FoundationEssentials
import TerminalKit

/// An event in words for a person.
struct Message: Sendable, Equatable {
  /// The importance of a message.
  enum Level: Sendable {
    case good
    case plain
    case warning
    case loss
  }

  var time: Date?
  var level: Level
  var text: String

  var style: Style {
    switch level {
    case .good: .color(.green)
    case .plain: .plain
    case .warning: .color(.yellow)
    case .loss: Style(color: .red, bold: true)
    }
  }

  /// With the time, on one line.
  var line: String { (time.map { UTCText.time($0) + "  " } ?? "") + text }
}
