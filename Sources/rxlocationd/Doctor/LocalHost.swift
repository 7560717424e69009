import ArgumentParser
import FoundationEssentials
import Glibc
import Platform
import SystemPackage

struct LocalProcess: Equatable {
  var name: String
  var identifier: Int32

  /// Such as "ModemManager (process 612)".
  var words: String { "\(name) (process \(identifier))" }

  var isDaemon: Bool { name == RxLocationD.configuration.commandName && identifier != getpid() }
}

enum LocalHost {
  static func isLocal(_ host: String) -> Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }

  static func has(_ program: String) -> Bool {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].contains { access($0 + program, X_OK) == 0 }
  }

  /// The commands that start a program of this host, after those that install it if it is missing.
  static func starting(_ program: String, unit: String) -> String {
    (has(program) ? "start it: " : "install it and start it: sudo apt-get install \(program); ")
      + "sudo systemctl enable --now \(unit)"
  }

  static var hasIPv6: Bool { access("/proc/net/if_inet6", F_OK) == 0 }

  static func serialPorts(in folder: String = "/dev") -> [String] {
    names(in: folder).filter { name in ["ttyUSB", "ttyACM", "serial0"].contains { name.hasPrefix($0) } }
      .sorted().map { "\(folder)/\($0)" }
  }

  /// The processes that have a file open. Only root sees the files of other users' processes.
  static func users(of path: String) -> [LocalProcess] {
    processes.filter { process in
      let folder = "/proc/\(process.identifier)/fd"
      return names(in: folder).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }
    }
  }

  private static var processes: [LocalProcess] {
    names(in: "/proc").compactMap { name in
      guard let identifier = Int32(name), let first = text(of: "/proc/\(name)/comm")?.split(separator: "\n").first
      else { return nil }
      return LocalProcess(name: String(first), identifier: identifier)
    }
  }

  /// The users of a socket or a file of a user. If they are another user's and so invisible, the daemons of that user.
  private static func users(of path: String, owner: uid_t) -> [LocalProcess] {
    let users = users(of: path)
    if !users.isEmpty || geteuid() == 0 { return users }
    return processes.filter { process in
      var status = stat()
      return process.isDaemon && stat("/proc/\(process.identifier)", &status) == 0 && status.st_uid == owner
    }
  }

  /// The processes that write a journal. Others may read it.
  static func writers(of path: String) -> [LocalProcess] {
    var status = stat()
    guard stat(path, &status) == 0, let real = realpath(path, nil) else { return [] }
    defer { free(real) }
    let users = users(of: String(cString: real), owner: status.st_uid)
    return users.contains(where: \.isDaemon) ? users.filter(\.isDaemon) : users
  }

  static func listeners(onUnix path: String) -> [LocalProcess] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return (text(of: "/proc/net/unix") ?? "").split(separator: "\n").flatMap { line in
      // The flags (00010000 listens), the socket's number and the path are the words 3, 6 and 7.
      let words = line.split(separator: " ", maxSplits: 7)
      guard words.count > 7, words[3] == "00010000", words[7] == path else { return [LocalProcess]() }
      return users(of: "socket:[\(words[6])]", owner: status.st_uid)
    }
  }

  static func listeners(on port: UInt16) -> [LocalProcess] {
    let digits = String(port, radix: 16, uppercase: true)
    let end = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    var found: [LocalProcess] = []
    for table in ["tcp", "tcp6"] {
      for line in (text(of: "/proc/net/\(table)") ?? "").split(separator: "\n") {
        // The local address, the state (0A listens), the user and the socket's number are the words 1, 3, 7 and 9.
        let words = line.split(separator: " ")
        guard words.count > 9, words[1].hasSuffix(end), words[3] == "0A" else { continue }
        found += users(of: "socket:[\(words[9])]", owner: uid_t(words[7]) ?? 0)
      }
    }
    // A program often listens twice, for IPv4 and for IPv6.
    return found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
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

  static func userName(_ user: UInt32) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
  }

  static func groupName(_ group: UInt32) -> String {
    getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "\(group)"
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The whole text. Foundation reads one page of a file in /proc, because its size is 0.
  private static func text(of path: String) -> String? {
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return nil }
    return (try? file.closeAfter { try file.readToEnd() }).map { String(decoding: $0, as: UTF8.self) }
  }
}
