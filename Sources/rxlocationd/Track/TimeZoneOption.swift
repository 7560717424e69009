import FoundationEssentials
import Glibc
import TrackDocuments

/// A zone of the system's time zone database.
///
/// The C library supports one zone at a time, that of TZ, for the whole process. `track` sets it once before it starts,
/// and nothing else in the process uses local times, so no calendar library is needed.
struct TimeZoneOption: Equatable {
  /// A name such as "Europe/Berlin"; "local" is this machine's zone.
  var name: String

  private static let folder = "/usr/share/zoneinfo/"

  /// Parses the name of a zone that this machine knows.
  init(parsing text: String) throws(SettingError) {
    name = text
    guard text != "local", text != "UTC" else { return }
    let isName = !text.isEmpty && !text.hasPrefix("/") && !text.split(separator: "/").contains("..")
    guard isName, Self.isZone(Self.folder + text) else {
      let hint =
        access(Self.folder, R_OK) == 0 ? "; zones are named as in \(Self.folder)" : "; the package tzdata has them"
      throw SettingError("'\(text)' is not a time zone of this machine\(hint)")
    }
  }

  /// Sets the process's time zone. Must be called before other threads may read the environment.
  func apply() -> TrackTimeZone {
    if name != "local" { setenv("TZ", name, 1) }
    tzset()
    return TrackTimeZone { time in
      var seconds = time_t(time.timeIntervalSince1970.rounded(.down))
      var local = tm()
      guard localtime_r(&seconds, &local) != nil else { return (0, "UTC") }
      return (local.tm_gmtoff, local.tm_zone.map { String(cString: $0) } ?? "")
    }
  }

  /// Whether a file begins like those of the database.
  private static func isZone(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var magic = [UInt8](repeating: 0, count: 4)
    return read(descriptor, &magic, 4) == 4 && magic == Array("TZif".utf8)
  }
}
