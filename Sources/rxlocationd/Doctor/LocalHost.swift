import FoundationEssentials
import Glibc

/// Facts about this host for the hints of `doctor`.
enum LocalHost {
  static func isLocal(_ host: String) -> Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }

  static func has(_ program: String) -> Bool {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].contains { access($0 + program, X_OK) == 0 }
  }

  /// The command that installs a program, with the words before the next command, if the program is missing.
  static func installing(_ program: String) -> String {
    has(program) ? "" : "install it: sudo apt-get install \(program); then "
  }

  /// The ports at which receivers appear.
  static func serialPorts(in folder: String = "/dev") -> [String] {
    names(in: folder).filter { name in ["ttyUSB", "ttyACM", "serial0"].contains { name.hasPrefix($0) } }
      .sorted().map { "\(folder)/\($0)" }
  }

  /// The processes that have a file open, except gpsd, such as "ModemManager (process 612)". Only root sees the files of
  /// other users' processes.
  static func users(of path: String) -> [String] {
    names(in: "/proc").filter { Int($0) != nil }.compactMap { process in
      let folder = "/proc/\(process)/fd"
      let isUser = names(in: folder).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
      guard isUser, let name = text(of: "/proc/\(process)/comm")?.split(separator: "\n").first, name != "gpsd"
      else { return nil }
      return "\(name) (process \(process))"
    }
  }

  static func listeners(on port: UInt16) -> [String] {
    let digits = String(port, radix: 16, uppercase: true)
    let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var found: [String] = []
    for table in ["tcp", "tcp6"] {
      for line in (text(of: "/proc/net/\(table)") ?? "").split(separator: "\n") {
        // The local address, the state (0A listens) and the socket's number are the words 1, 3 and 9.
        let words = line.split(separator: " ")
        guard words.count > 9, words[1].hasSuffix(end), words[3] == "0A" else { continue }
        found += users(of: "socket:[\(words[9])]")
      }
    }
    return found
  }

  /// The addresses that the sandbox of a service lets through; empty if the service is not installed or has no such limit.
  static func allowedAddresses(
    of unit: String,
    in folders: [String] = ["/usr/lib/systemd/system", "/usr/local/lib/systemd/system", "/etc/systemd/system"]
  ) -> [Substring] {
    folders.flatMap { folder in
      ["\(folder)/\(unit)"] + names(in: "\(folder)/\(unit).d").map { "\(folder)/\(unit).d/\($0)" }
    }
    .flatMap { (text(of: $0) ?? "").split(separator: "\n") }
    .filter { $0.hasPrefix("IPAddressAllow=") }
    .flatMap { $0.dropFirst("IPAddressAllow=".count).split(separator: " ") }
  }

  /// The socket that GeoClue reads NMEA from, `nil` if none; `isInstalled` says whether GeoClue has settings here.
  static func geoClue(in folder: String = "/etc/geoclue") -> (isInstalled: Bool, socket: String?) {
    guard let settings = text(of: "\(folder)/geoclue.conf") else { return (false, nil) }
    let files = names(in: "\(folder)/conf.d").filter { $0.hasSuffix(".conf") }.sorted()
      .compactMap { text(of: "\(folder)/conf.d/\($0)") }
    let lines = ([settings] + files).flatMap { $0.split(whereSeparator: \.isNewline) }
    let socket = lines.last { $0.hasPrefix("nmea-socket=") }?.dropFirst("nmea-socket=".count)
    return (true, socket.map(String.init))
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func text(of path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
