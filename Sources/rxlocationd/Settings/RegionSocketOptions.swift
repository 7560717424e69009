import RegionSockets
import ArgumentParser
import Sockets

/// The region sockets, for `run`, `replay` and `doctor`.
struct RegionSocketOptions: ParsableArguments {
  @Option(
    "region-socket", "address",
    "Serve region updates to any number of readers, on unix:PATH or tcp:HOST:PORT. Repeatable.",
    RegionSocketAddress.init(parsing:))
  var addresses: [RegionSocketAddress] = []

  @Option("region-socket-mode", "octal", "The mode of Unix region sockets. (default: 660)", Bounds.mode)
  var mode: UInt16?

  @Option(
    name: .customLong("region-socket-group"),
    help: ArgumentHelp("The group of Unix region sockets.", valueName: "group"))
  var group: String?

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard !addresses.contains(where: { if case .unix = $0 { true } else { false } }) else { return }
    try SettingError.refuse(
      ["region-socket-mode": mode != nil, "region-socket-group": group != nil], for: "unix sockets",
      without: "region-socket unix:PATH")
  }

  /// Checks settings against this machine.
  func checkMachine() throws(SettingError) {
    if let group, !Listeners.hasGroup(group) {
      throw SettingError("region-socket-group '\(group)' is no group of this machine")
    }
  }
}
