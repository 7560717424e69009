import ArgumentParser

/// A configuration file: one flag per line, without dashes. `#` begins a comment.
///
///     # The house, and the map around it.
///     fence home=37.7858,-122.4064,50
///     span 2000
struct ConfigurationFile {
  /// One setting.
  struct Line: Equatable {
    /// The flag's name without its dashes.
    var name: String
    /// The setting as on the command line: `--span=2000`, `--loop`.
    var argument: String
  }

  var lines: [Line] = []

  /// All flags that a file may contain, for any command.
  private struct Grammar: ParsableArguments {
    @OptionGroup var gpsd: GPSDOptions
    @OptionGroup var settings: Settings
    @OptionGroup var replay: ReplayOptions
    // The other flags of `collect` have the names of the daemon's settings.
    @OptionGroup var subscription: SubscriptionOptions
  }

  /// Parses the text of a file; `path` names it in messages.
  ///
  /// - Throws: `CommandError` (78) that names the file, the line and the problem.
  init(parsing text: String, path: String) throws(CommandError) {
    for (index, text) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      do throws(SettingError) {
        if let line = try Self.line(text) { lines.append(line) }
      } catch {
        throw CommandError(.configuration, "\(path):\(index + 1): \(error)")
      }
    }
  }

  private static func line(_ text: Substring) throws(SettingError) -> Line? {
    let text = text.prefix(upTo: startOfComment(text))
    let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard let name = words.first else { return nil }
    var value = words.dropFirst().first ?? ""
    while value.last?.isWhitespace == true { value.removeLast() }

    guard name.allSatisfy({ $0.isLowercase || $0.isNumber || $0 == "-" }), !name.hasPrefix("-") else {
      throw SettingError("'\(name)' is no setting; write the name of a flag without '--', a blank and its value")
    }
    if value.hasPrefix("=") { throw SettingError("write the value of '\(name)' behind a blank, without '='") }
    let argument = "--" + name + (value.isEmpty ? "" : "=" + value)
    do {
      _ = try Grammar.parse([argument])
    } catch {
      // `help` is valid on the command line only.
      guard Grammar.exitCode(for: error) != .success else { throw SettingError("'\(name)' is no setting") }
      // The parser's message names the flag with its dashes, and an unknown flag with its value.
      throw SettingError(Grammar.message(for: error).replacing("'--", with: "'"))
    }
    return Line(name: String(name), argument: argument)
  }

  /// A '#' within a word belongs to it: `region-log /tmp/a#b`.
  private static func startOfComment(_ text: Substring) -> Substring.Index {
    var isBehindBlank = true
    for index in text.indices {
      if text[index] == "#" && isBehindBlank { return index }
      isBehindBlank = text[index].isWhitespace
    }
    return text.endIndex
  }
}
