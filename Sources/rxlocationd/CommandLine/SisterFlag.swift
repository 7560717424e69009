import ArgumentParser

/// A flag that was given to one command but belongs to others.
enum SisterFlag {
  /// Returns a hint that replaces the argument parser's guess at another spelling.
  ///
  /// - Parameters:
  ///   - message: The parser's message.
  ///   - words: The command line.
  /// - Returns: `nil` if no command has the flag.
  static func hint(for message: String, _ words: [String]) -> String? {
    let start = "Unknown option '"
    guard message.hasPrefix(start) else { return nil }
    let flag = message.dropFirst(start.count).prefix { $0 != "'" }
    let commands = RxLocationD.configuration.subcommands
    // The help lists each flag on its own line.
    let names = commands.compactMap { command in
      command.helpMessage(columns: 200).contains("\n  \(flag) ") ? command.configuration.commandName : nil
    }
    guard let last = names.last else { return nil }
    let command = commands.first { $0.configuration.commandName == words.first } ?? RunCommand.self
    let others = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(last)" : last
    return "\(purpose(command)), so it has no \(flag); that is for \(others)"
  }

  private static func purpose(_ command: any ParsableCommand.Type) -> String {
    switch command {
    case is ReplayCommand.Type: "replay reads recordings"
    case is TrackCommand.Type: "track reads what was recorded"
    case is MonitorCommand.Type: "monitor shows a receiver on a terminal"
    case is DoctorCommand.Type: "doctor only tries what the daemon would do"
    default: "run follows gpsd"
    }
  }
}
