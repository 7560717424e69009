import ArgumentParser
import SystemPackage

/// The settings of a command: the flags on its command line, and those in its configuration file, which can be read again.
@MainActor
final class Configuration<Command: ConfigurableCommand> {
  let path: FilePath?
  private let flags: [String]
  /// The settings of the command line alone.
  private let given: Command
  private var lines: [ConfigurationFile.Line] = []

  /// `path` is a file to read even though no flag names it.
  init(of command: Command, path: FilePath? = nil, arguments: [String] = Arguments.ofThisProcess) {
    given = command
    self.path = path ?? command.configurationFile.path
    let hasName = arguments.first == Command.configuration.commandName
    flags = Array(arguments.dropFirst(hasName ? 1 : 0))
  }

  /// The command with the settings of the file, unless its flags override them.
  func read() async throws(CommandError) -> Command {
    lines = try await linesOfFile(again: false)
    return try await command(lines, isStart: true)
  }

  /// The command after reading the file again, and the names of settings that have changed since the start.
  func readAgain() async throws(CommandError) -> (command: Command, changed: Set<String>) {
    let new = try await linesOfFile(again: true)
    let changed = Set((lines + new).map(\.name)).filter { name in
      lines.filter { $0.name == name } != new.filter { $0.name == name }
    }
    let command = try await command(new, isStart: false)
    return (command, changed)
  }

  /// The lines that apply: those of this command that are not on its command line. So flags win, and a list comes
  /// entirely from one place.
  private func linesOfFile(again: Bool) async throws(CommandError) -> [ConfigurationFile.Line] {
    guard let path else { return [] }
    let given = Set(flagTexts.map { $0.prefix { $0 != " " } })
    return try await ConfigurationFile.read(path, for: Command.self, again: again).lines.filter {
      !given.contains($0.name[...])
    }
  }

  /// The flags as lines of a configuration file.
  private var flagTexts: [String] {
    let words = flags.prefix { $0 != "--" }
    return words.indices.compactMap { index in
      guard words[index].hasPrefix("--") else { return nil }
      let parts = words[index].dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
      let next = index + 1 < words.endIndex ? words[index + 1] : ""
      return (parts.first ?? "") + " " + (parts.count > 1 ? parts[1] : next)
    }
  }

  private func command(_ lines: [ConfigurationFile.Line], isStart: Bool) async throws(CommandError) -> Command {
    do {
      // Without lines the flags are not parsed again, because a thousand fences take a while.
      var command = lines.isEmpty ? given : try Command.parse(lines.map(\.argument) + flags)
      try Requirement.check(lines.map(\.text) + flagTexts)
      try await command.readFences(again: !isStart)
      try command.check()
      if isStart { try command.checkMachine() }
      return command
    } catch let error as CommandError {
      throw error
    } catch {
      let message = (error as? SettingError)?.description ?? Command.message(for: error)
      throw CommandError(path == nil ? .usage : .configuration, path.map { "\($0): \(message)" } ?? message)
    }
  }
}

extension Configuration where Command: DaemonCommand {
  func settingsAgain() async throws(CommandError) -> (settings: Settings, changed: Set<String>) {
    let (command, changed) = try await readAgain()
    return (command.settings, changed)
  }
}

/// A command whose flags may also be in a configuration file.
protocol ConfigurableCommand: AsyncParsableCommand {
  /// The groups of flags that a file may contain; other lines of the file are for other commands.
  static var fileOptions: [any ParsableArguments.Type] { get }

  var configurationFile: ConfigurationOptions { get }

  /// Adds the fences of a file to those of the settings.
  @MainActor mutating func readFences(again: Bool) async throws(CommandError)

  func check() throws(SettingError)

  /// Checks settings against this machine. Called only at the start, because it may take a while.
  func checkMachine() throws(SettingError)
}

protocol DaemonCommand: ConfigurableCommand {
  var settings: Settings { get }
}

struct ConfigurationOptions: ParsableArguments {
  @Option("config", "file", "Read settings from this file, one flag a line without dashes; flags win.", Bounds.file)
  var path: FilePath?
}

extension ConfigurableCommand {
  @MainActor mutating func readFences(again: Bool) async throws(CommandError) {}
  func check() throws(SettingError) {}
  func checkMachine() throws(SettingError) {}
}

extension DaemonCommand {
  func check() throws(SettingError) { try settings.check() }
  func checkMachine() throws(SettingError) { try settings.checkMachine() }
}
