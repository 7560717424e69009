import ArgumentParser
import SystemPackage

/// A command whose flags may stand in a configuration file as well.
protocol ConfigurableCommand: AsyncParsableCommand {
  /// The groups of its flags that a file may hold; what else is in the file is for other commands.
  static var fileOptions: [any ParsableArguments.Type] { get }

  var configurationFile: ConfigurationOptions { get }

  /// Checks combinations of options.
  func check() throws(SettingError)

  /// Checks settings against what is on this machine; only at the start, because it may take a while.
  func checkMachine() throws(SettingError)
}

/// A command that runs the daemon.
protocol DaemonCommand: ConfigurableCommand {
  var settings: Settings { get }
}

/// Which configuration file is read.
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
