import ArgumentParser
import SystemPackage

/// A command whose flags may also be in a configuration file.
protocol ConfigurableCommand: AsyncParsableCommand {
  /// The groups of flags that a file may contain; other lines of the file are for other commands.
  static var fileOptions: [any ParsableArguments.Type] { get }

  var configurationFile: ConfigurationOptions { get }

  /// Checks combinations of options.
  func check() throws(SettingError)

  /// Checks settings against this machine. Called only at the start, because it may take a while.
  func checkMachine() throws(SettingError)
}

/// A command that runs the daemon.
protocol DaemonCommand: ConfigurableCommand {
  var settings: Settings { get }
}

/// The flag for the configuration file.
struct ConfigurationOptions: ParsableArguments {
  @Option("config", "file", "Read settings from this file, one flag a line without dashes; flags win.", Bounds.file)
  var path: FilePath?
}

extension ConfigurableCommand {
  func check() throws(SettingError) {}
  func checkMachine() throws(SettingError) {}
}

extension DaemonCommand {
  func check() throws(SettingError) { try settings.check() }
  func checkMachine() throws(SettingError) { try settings.checkMachine() }
}
