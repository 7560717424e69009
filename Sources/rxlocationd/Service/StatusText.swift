import LocationKit
import Platform

/// The state of the fix in one line, for `systemctl status` and SIGUSR1.
struct StatusText {
  var name: String
  var status: LocationSourceStatus
  var fix: FixState
  var location: Location?
  var satellites: (seen: Int, used: Int)?

  var line: String {
    switch status {
    case .idle: "stopped"
    case .connecting: "connecting to \(name)"
    case .waiting(_, let seconds):
      "no gpsd at \(name), next try in \(fixedPoint(min(max(1, seconds), 86_400), decimals: 0)) s"
    case .finished: "\(name) has ended"
    case .connected(let devices):
      (fix == .current ? location.map(Self.describe) : nil) ?? withoutFix(devices)
    }
  }

  private func withoutFix(_ devices: [String]) -> String {
    if fix.loss?.reason == .silence, !devices.isEmpty { return "no fix, the receiver is silent" }
    if let satellites { return "no fix, \(Self.words(seen: satellites.seen, used: satellites.used))" }
    return devices.isEmpty ? "no fix, no device" : "no fix"
  }

  /// "9 satellites seen, 5 used".
  static func words(seen: Int, used: Int) -> String { "\(counted(seen, "satellite")) seen, \(used) used" }

  private static func describe(_ location: Location) -> String {
    var parts = ["\(location.mode.words) fix"]
    if let accuracy = location.horizontalAccuracy { parts.append("±\(fixedPoint(accuracy, decimals: 1)) m") }
    if let satellites = location.satellitesUsed { parts.append(counted(satellites, "satellite")) }
    return parts.joined(separator: ", ")
  }
}
