import ArgumentParser
import FoundationEssentials
import LocationKit
import Platform
import Publishing

struct PrivacyOptions: ParsableArguments {
  @Option(
    "publish-privacy", "policy",
    "What brokers and servers may know of the position: exact, grid:METRES or hide:FENCE. Repeatable. (default: exact)",
    PrivacyRule.init(parsing:))
  var publish: [PrivacyRule] = []

  @Option(
    "map-privacy", "policy", "What the map's page may know of the position, as for publish-privacy. Repeatable.",
    PrivacyRule.init(parsing:))
  var map: [PrivacyRule] = []

  @Option(
    "region-socket-privacy", "policy",
    "What readers of region sockets may know of the position, as for publish-privacy. Repeatable.",
    PrivacyRule.init(parsing:))
  var regionSocket: [PrivacyRule] = []

  @Option(
    "location-socket-privacy", "policy",
    "What readers of location sockets may know of the position, as for publish-privacy. Repeatable.",
    PrivacyRule.init(parsing:))
  var locationSocket: [PrivacyRule] = []

  @Option(
    "nmea-privacy", "policy",
    "What readers of NMEA may know of the position, as for publish-privacy. Repeatable.", PrivacyRule.init(parsing:))
  var nmea: [PrivacyRule] = []

  @Option(
    "fence-state-privacy", "policy",
    "Which fences the folder of fence-state may show, as for publish-privacy. Repeatable.", PrivacyRule.init(parsing:))
  var fenceState: [PrivacyRule] = []

  func check(_ fences: [Region]) throws(SettingError) {
    let destinations = [
      ("publish-privacy", publish), ("map-privacy", map), ("region-socket-privacy", regionSocket),
      ("location-socket-privacy", locationSocket), ("nmea-privacy", nmea), ("fence-state-privacy", fenceState),
    ]
    for (flag, rules) in destinations {
      do throws(SettingError) {
        try rules.check(fences)
      } catch {
        throw SettingError("\(flag): \(error)")
      }
    }
  }

  func checkMachine() throws(SettingError) {
    for case .hide in publish + map + regionSocket + locationSocket + nmea + fenceState {
      _ = try PayloadKey.ofMachine()
    }
  }
}

enum PrivacyRule: Sendable, Hashable {
  case exact
  case grid(metres: Double)
  case hide(fence: String)

  private static let cells = 10.0...1_000_000

  init(parsing text: String) throws(SettingError) {
    if text == "exact" {
      self = .exact
    } else if text.hasPrefix("hide:"), text != "hide:" {
      self = .hide(fence: String(text.dropFirst(5)))
    } else if text.hasPrefix("grid:"), let metres = Double(decimal: text.dropFirst(5)), Self.cells.contains(metres) {
      self = .grid(metres: metres)
    } else {
      throw SettingError(
        "'\(text)' is not a policy; expected exact, grid:METRES with 10 to 1000000 metres, or hide:FENCE")
    }
  }
}

extension [PrivacyRule] {
  var isExact: Bool { allSatisfy { $0 == .exact } }

  fileprivate func check(_ fences: [Region]) throws(SettingError) {
    if contains(.exact), count > 1 { throw SettingError("exact excludes other policies; leave it or them out") }
    if count(where: { if case .grid = $0 { true } else { false } }) > 1 {
      throw SettingError("grid is given twice; leave one out")
    }
    for case .hide(let name) in self where !fences.contains(where: { $0.identifier == name }) {
      let names = fences.map(\.identifier)
      throw SettingError(
        "hide:\(name): there is no fence '\(name)'; "
          + (names.isEmpty
            ? "give fence \(name)=LAT,LON,RADIUS as well" : "the fences are \(names.joined(separator: ", "))"))
    }
  }
}

extension PrivacyPolicy {
  /// Makes the policy of rules. The zones of `hide` need the secret of this machine.
  init(_ rules: [PrivacyRule], fences: [Region]) throws(CommandError) {
    do throws(SettingError) {
      try self.init(rules, fences: fences) { () throws(SettingError) in try .ofMachine() }
    } catch {
      throw CommandError(.configuration, error.description)
    }
  }

  init(_ rules: [PrivacyRule], fences: [Region], secret: () throws(SettingError) -> PayloadKey) throws(SettingError) {
    try rules.check(fences)
    var grid: PrivacyGrid?
    var zones: [HiddenZone] = []
    for rule in rules {
      switch rule {
      case .exact: break
      case .grid(let metres): grid = PrivacyGrid(metres: metres)
      case .hide(let name):
        // Only the name decides the numbers: a fence that is corrected by some metres keeps its direction.
        let (first, second) = try secret().hash(of: "rxlocationd hides " + name)
        for fence in fences where fence.identifier == name {
          zones.append(HiddenZone(around: fence.circle, distance: Self.fraction(first), bearing: Self.fraction(second)))
        }
      }
    }
    self.init(grid: grid, hiding: zones)
  }

  /// A number from 0 up to 1.
  private static func fraction(_ bits: UInt64) -> Double { Double(bits >> 11) / Double(1 << 53) }
}

extension PayloadKey {
  /// The secret of this machine, which other programs keep as well and which survives new versions: see machine-id(5).
  fileprivate static func ofMachine(path: String = "/etc/machine-id") throws(SettingError) -> PayloadKey {
    let line = FileManager.default.contents(atPath: path)?.prefix { $0 != UInt8(ascii: "\n") } ?? Data()
    // A machine that starts for the first time has another text there.
    guard line.count == 32, line.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let key = PayloadKey(Array(line))
    else {
      throw SettingError(
        "hide needs this machine's secret, and \(path) has none; run systemd-machine-id-setup"
      )
    }
    return key
  }
}
