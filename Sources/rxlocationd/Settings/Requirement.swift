/// What some settings need beside them. Without it they have no effect and are refused.
struct Requirement {
  let settings: [String]
  let purpose: String
  /// The beginnings of the settings of which one has to be there.
  let others: [String]
  let missing: String

  private init(_ settings: [String], for purpose: String, _ others: [String], missing: String? = nil) {
    (self.settings, self.purpose, self.others) = (settings, purpose, others)
    self.missing = missing ?? others.joined(separator: " or ")
  }

  private static let all = [
    Requirement(
      ["map-name", "map-tiles", "map-attribution", "map-assets", "map-privacy"], for: "the map's page", ["map"]),
    Requirement(["location-socket-privacy", "location-socket-format"], for: "location sockets", ["location-socket"]),
    Requirement(["fence-state-privacy"], for: "the folder of fence-state", ["fence-state"]),
    Requirement(["nmea-privacy", "nmea-short"], for: "NMEA", ["nmea"]),
    Requirement(
      ["region-socket-mode", "region-socket-group"], for: "unix sockets and serial ports",
      ["location-socket unix:", "region-socket unix:", "nmea unix:", "nmea pty:"],
      missing: "location-socket unix:PATH, region-socket unix:PATH, nmea unix:PATH or nmea pty:PATH"),
    Requirement(["publish-privacy"], for: "a broker or a server", ["publish"]),
    Requirement(
      [
        "publish-topic", "publish-user", "publish-password-file", "publish-ca", "publish-certificate", "publish-key",
        "publish-encryption-key", "publish-interval", "publish-heartbeat", "publish-tid",
      ], for: "a broker", ["publish"]),
    Requirement(
      [
        "publish-client-id", "publish-card-name", "publish-card-picture", "publish-discovery", "publish-commands",
      ], for: "a broker", ["publish mqtt"], missing: "publish mqtt[s]://HOST"),
    Requirement(["journal-limit"], for: "a journal", ["journal", "publish"]),
    Requirement(["fence-memory"], for: "a journal", ["journal"]),
    Requirement(
      ["journal-keep", "journal-password-file"], for: "a database", ["journal postgres"],
      missing: "journal postgresql://USER@HOST/DATABASE"),
    Requirement(["record-limit"], for: "a record", ["record"]),
    Requirement(["bundle-offset"], for: "a bundle", ["bundle"]),
  ]

  /// Throws for the first setting that has no effect. Settings are as in a configuration file: "map localhost:8080".
  static func check(_ settings: [String]) throws(SettingError) {
    for rule in all {
      let isMet = rule.others.contains { other in
        settings.contains { other.contains(" ") ? $0.hasPrefix(other) : $0 == other || $0.hasPrefix(other + " ") }
      }
      let first = rule.settings.first { name in settings.contains { $0 == name || $0.hasPrefix(name + " ") } }
      guard !isMet, let first else { continue }
      throw SettingError("\(first) is for \(rule.purpose); give \(rule.missing) as well, or leave it out")
    }
  }
}
