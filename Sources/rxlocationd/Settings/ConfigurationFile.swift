import ArgumentParser
import Platform
import SystemPackage

/// A configuration file: one flag per line, without dashes. `#` begins a comment.
///
///     # The house, and the map around it.
///     fence home=37.7858,-122.4064,50
///     span 2000
struct ConfigurationFile {
  struct Line: Equatable {
    var name: String
    /// The setting as on the command line: `--span=2000`, `--loop`.
    var argument: String

    /// The line without comments: `span 2000`.
    var text: String { name + " " + argument.dropFirst(name.count + 3) }
  }

  var lines: [Line] = []

  /// All groups of flags that a file may contain, for any command, those of this command first.
  private static func groups(of command: (any ConfigurableCommand.Type)?) -> [any ParsableArguments.Type] {
    let commands = RxLocationD.configuration.subcommands.compactMap { $0 as? any ConfigurableCommand.Type }
    var known: Set<ObjectIdentifier> = []
    return ([command].compactMap(\.self) + commands).flatMap { $0.fileOptions }.filter {
      known.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// Parses the text of a file; `path` names it in messages. Leaves out lines that are only for other commands than `command`.
  init(parsing text: String, path: String, for command: (any ConfigurableCommand.Type)? = nil) throws(CommandError) {
    let groups = Self.groups(of: command)
    let own = command?.fileOptions.count ?? groups.count
    for (index, text) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      do throws(SettingError) {
        if let (line, group) = try Self.line(text, groups), group < own { lines.append(line) }
      } catch {
        throw CommandError(.configuration, "\(path):\(index + 1): \(error)")
      }
    }
  }

  /// The setting of a line, and the index of its group; `nil` for a line without a setting.
  private static func line(
    _ text: Substring, _ groups: [any ParsableArguments.Type]
  ) throws(SettingError) -> (Line, group: Int)? {
    let text = text.prefix(upTo: startOfComment(text))
    let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard let name = words.first else { return nil }
    var value = words.dropFirst().first ?? ""
    while value.last?.isWhitespace == true { value.removeLast() }

    guard name.allSatisfy({ $0.isLowercase || $0.isNumber || $0 == "-" }), !name.hasPrefix("-") else {
      throw SettingError("'\(name)' is not a setting; write the name of a flag without '--', a blank and its value")
    }
    if value.hasPrefix("=") { throw SettingError("write the value of '\(name)' behind a blank, without '='") }
    let argument = "--" + name + (value.isEmpty ? "" : "=" + value)
    var failures: [(group: any ParsableArguments.Type, error: any Error)] = []
    for (index, group) in groups.enumerated() {
      do {
        _ = try group.parse([argument])
        return (Line(name: String(name), argument: argument), index)
      } catch {
        failures.append((group, error))
      }
    }
    // `help` is valid on the command line only.
    if let (group, error) = failures.first, group.exitCode(for: error) == .success {
      throw SettingError("'\(name)' is not a setting")
    }
    let messages = failures.map { $0.group.message(for: $0.error) }
    // A group that has the flag says what is wrong with its value; the parser's message names the flag with its dashes.
    if let message = messages.first(where: { !$0.hasPrefix("Unknown option") }) {
      throw SettingError(message.replacing("'--", with: "'"))
    }
    // Each group knows the flag that is the most like the name.
    let similar = messages.compactMap { message in
      message.firstRange(of: "Did you mean '--").map { String(message[$0.upperBound...].prefix { $0 != "'" }) }
    }
    let meant = Misspelling.correction(of: name, among: similar).map { "; did you mean '\($0)'?" }
    throw SettingError("'\(name)' is not a setting\(meant ?? "")")
  }

  /// A '#' within a word belongs to it: `region-log /tmp/a#b`.
  private static func startOfComment(_ text: Substring) -> Substring.Index {
    let marks = text.indices.filter { text[$0] == "#" }
    return marks.first { text[..<$0].last?.isWhitespace ?? true } ?? text.endIndex
  }
}

extension ConfigurationFile {
  /// Reads a file on its own thread, because a file system may hang. A pipe cannot be read again, because its contents are gone.
  static func read(
    _ path: FilePath, for command: (any ConfigurableCommand.Type)? = nil, again: Bool, within seconds: Double = 5
  ) async throws(CommandError) -> ConfigurationFile {
    let bytes = try await bytes(of: path, again: again, limit: 1 << 20, within: seconds)
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.contains(0) {
      throw failure(path, "is UTF-16 text, or none at all; save it as UTF-8")
    }
    // Some editors write a byte order mark before UTF-8.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard let text = String(validating: bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...], as: UTF8.self)
    else { throw failure(path, "is not UTF-8 text") }
    return try ConfigurationFile(parsing: text, path: path.description, for: command)
  }

  private typealias Contents = Result<[UInt8], CommandError>

  static func bytes(
    of path: FilePath, again: Bool, limit: Int, within seconds: Double = 5
  ) async throws(CommandError) -> [UInt8] {
    let contents: Contents
    do {
      contents = try await Thread.result(within: seconds) { Self.contents(of: path, again: again, limit: limit) }
    } catch {
      let isSlow = error == .timedOut
      throw failure(path, isSlow ? "could not be read within \(Int(seconds)) s" : "cannot be read: \(error)")
    }
    return try contents.get()
  }

  private static func contents(of path: FilePath, again: Bool, limit: Int) -> Contents {
    do {
      // A pipe is not opened again, because that could take data meant for another process.
      if again, let type = (try? Stat(path))?.type, type != .regular {
        return .failure(failure(path, "is not a regular file, so it cannot be read again"))
      }
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      let bytes = try file.closeAfter { try file.readToEnd(limit: limit) }
      guard bytes.count <= limit else {
        return .failure(failure(path, "more than \(limit) bytes; is this the right file?"))
      }
      return .success(bytes)
    } catch {
      return .failure(failure(path, "cannot be read: \(error)"))
    }
  }

  private static func failure(_ path: FilePath, _ message: String) -> CommandError {
    CommandError(.configuration, "\(path): \(message)")
  }
}
