import FoundationEssentials
import GPSD
import Glibc
import Serving
import Journal
import MapPage
import Writing
import Platform
import Synchronization
import SystemPackage

/// Opens the daemon's outputs and closes them again, and leaves everything unchanged.
@MainActor
struct OutputTrial {
  let sockets: RegionSocketOptions
  let outputs: OutputOptions
  let record: RecordOptions
  let map: MapOptions
  /// The service that runs with these settings.
  let unit: String

  /// The listeners so far, which stay open, as those of the daemon do.
  private(set) var opened: [Listeners] = []

  /// The findings, in the order in which the daemon opens its outputs.
  mutating func run() async throws(CommandError) -> [Diagnosis] {
    let network = try NetworkLoop.start()
    var findings: [Diagnosis] = []
    let contents: [(RegionSocket.Content, [RegionSocketAddress])] = [
      (.location, sockets.locations), (.regions, sockets.addresses), (.nmea, sockets.nmea.compactMap(\.socket)),
    ]
    for (content, addresses) in contents {
      for address in addresses { findings.append(await socket(content, address, network)) }
    }
    for case .terminal(let link) in sockets.nmea {
      findings.append(file("NMEA pty", link, PseudoTerminal.check))
    }
    findings += sockets.locations.compactMap { Self.users(of: $0, sockets) }
    if let finding = Self.geoClue(sockets, LocalHost.geoClue()) { findings.append(finding) }
    if let place = outputs.journal { findings.append(await journal(place)) }
    if let path = outputs.regionLog { findings.append(file("region log", path, RecordStream.trial(regionLog:))) }
    if let path = outputs.fenceState { findings.append(file("fence state", path, FenceDirectory.trial(path:))) }
    if let path = record.path {
      findings.append(
        file("record", path) { path throws(OutputError) in
          try RecordStream.trial(record: path) { GPSDRecordDecoder.isRecord($0) }
        })
    }
    if let address = outputs.metrics { findings.append(await listen("metrics", address, network)) }
    if let address = map.address {
      findings.append(await listen("map page", address, network))
      findings += mapProblems(network)
      if !LocalHost.isLocal(address.host), let problem = sandboxProblem { findings.append(problem) }
    }
    for listeners in opened { await listeners.close() }
    await network.shutdown()
    return findings
  }

  private mutating func socket(
    _ content: RegionSocket.Content, _ address: RegionSocketAddress, _ network: NetworkLoop
  ) async -> Diagnosis {
    let step = content.name
    switch address {
    case .tcp(let address): return await listen(step, address, network)
    case .unix(let path):
      // The daemon replaces a stale socket; here it stays.
      if (try? Listeners.isStale(unix: path)) == true {
        guard access(folder(of: path), W_OK | X_OK) == 0 else {
          return Diagnosis(
            step: step, .failure,
            "\(path) is a socket without a listener and cannot be replaced: \(Errno(rawValue: errno))",
            hint: "give this user the right to write to its folder")
        }
        return Diagnosis(step: step, .ok, "\(path) can be opened, in place of a socket without a listener")
      }
      let (mode, group) = (sockets.mode, sockets.group)
      return await listening(step, path, network, users: { LocalHost.listeners(onUnix: path) }) {
        listeners throws(ListenError) in
        try await listeners.listen(on: .unix(path: path, mode: mode, group: group), name: path)
      }
    }
  }

  /// Who may use a location socket: as its file says if the daemon runs, else as the settings say.
  static func users(of address: RegionSocketAddress, _ sockets: RegionSocketOptions) -> Diagnosis? {
    guard case .unix(let path) = address else { return nil }
    let file = try? Stat(path, followTargetSymlink: false)
    let mode = file.map { UInt16($0.permissions.rawValue) } ?? sockets.mode
    let group = file?.groupID.rawValue ?? sockets.group.flatMap(Listeners.groupID) ?? getegid()
    let user = file?.userID.rawValue ?? geteuid()
    var users = user == 0 ? ["root"] : ["root", LocalHost.userName(user)]
    if mode & 0o020 != 0 { users.append("the group \(LocalHost.groupName(group))") }
    if mode & 0o002 != 0 { users = ["every user of this host"] }
    return Diagnosis(step: "location service", .ok, "\(path) may be used by \(users.joined(separator: ", "))")
  }

  static func geoClue(_ sockets: RegionSocketOptions, _ geoClue: (isInstalled: Bool, socket: String?)) -> Diagnosis? {
    let paths = sockets.nmea.compactMap { if case .unix(let path) = $0.socket { path } else { nil } }
    guard let path = paths.first, geoClue.isInstalled else { return nil }
    let step = "GeoClue"
    guard let socket = geoClue.socket, paths.contains(socket) else {
      return Diagnosis(
        step: step, .ok, "is installed and reads \(geoClue.socket ?? "no NMEA socket")",
        hint: "for desktop programs: nmea-socket=\(path) in [network-nmea] of /etc/geoclue/geoclue.conf")
    }
    guard sockets.group != nil || sockets.mode & 0o2 != 0 else {
      return Diagnosis(
        step: step, .warning, "reads \(socket), which other users may not open", hint: "set region-socket-mode 666")
    }
    return Diagnosis(step: step, .ok, "reads \(socket)")
  }

  private mutating func listen(_ step: String, _ address: Endpoint, _ network: NetworkLoop) async -> Diagnosis {
    await listening(step, address.description, network, users: { LocalHost.listeners(on: address.port) }) {
      listeners throws(ListenError) in try await listeners.listen(on: .tcp(address), name: address.description)
    }
  }

  /// Listens until the end of the trial. `users` are the programs that use the address already.
  private mutating func listening(
    _ step: String, _ address: String, _ network: NetworkLoop, users: () -> [LocalProcess],
    _ listen: @MainActor (Listeners) async throws(ListenError) -> Void
  ) async -> Diagnosis {
    let problems = Mutex<[Listeners.Event]>([])
    let listeners = Listeners(
      on: network, onEvent: { _, event in if event.isProblem { problems.withLock { $0.append(event) } } },
      configure: { bootstrap, _ in bootstrap })
    opened.append(listeners)
    do throws(ListenError) {
      try await listen(listeners)
      let problem = problems.withLock { $0.first }
      return problem.map { Diagnosis(step: step, .warning, "\(address) \($0)") }
        ?? Diagnosis(step: step, .ok, "\(address) can be opened")
    } catch {
      return error.isInUse
        ? Diagnosis(step: step, address, isUsedBy: users())
        : Diagnosis(step: step, refused: "\(address) \(error)", hint: "choose another address")
    }
  }

  private func journal(_ place: JournalPlace) async -> Diagnosis {
    let step = "journal"
    do {
      return try await Thread.result { [database = outputs.database] in
        do throws(JournalError) {
          switch place {
          case .file(let path):
            let rows = try JournalWriter.trial(path: path)
            var finding =
              rows == nil
              ? Diagnosis(step: step, path, isUsedBy: LocalHost.writers(of: path)) : Self.written(step, path)
            finding.message += Self.pruned(rows ?? (try? JournalReader(path: path).waiting()))
            return finding
          case .database(let url):
            let journal = try database.journal(at: url)
            return Diagnosis(step: step, journal.name, lacking: try journal.trial())
          }
        } catch {
          return error.reason == .unavailable
            ? Diagnosis(step: step, .failure, error.message, hint: Self.databaseHint)
            : Diagnosis(step: step, refused: error.message, hint: Self.fileHint)
        }
      }
    } catch {
      return Diagnosis(step: step, .failure, "no thread to check it: \(error)", hint: Diagnosis.resourceHint)
    }
  }

  /// How many rows the limit has removed from a journal, as the rest of a sentence.
  private nonisolated static func pruned(_ rows: JournalWaiting?) -> String {
    guard let rows, rows.gone > 0 else { return "" }
    let since = rows.oldest.map { "; it begins at \($0.ISO8601Format())" } ?? ""
    return "; its limit has removed the oldest \(counted(Int(rows.gone), "row"))" + since
  }

  private func file(_ step: String, _ path: String, _ trial: (String) throws(OutputError) -> Void) -> Diagnosis {
    do throws(OutputError) {
      try trial(path)
      return Self.written(step, path)
    } catch {
      return Diagnosis(step: step, refused: error.message, hint: Self.fileHint)
    }
  }

  /// The finding about a file that can be opened: whether its disk has room.
  private nonisolated static func written(_ step: String, _ path: String) -> Diagnosis {
    let type = (try? Stat(path))?.type
    var disk = statvfs()
    // Root may use the reserve as well.
    guard type == nil || type == .regular,
      statvfs(type != nil ? path : folder(of: path), &disk) == 0, disk.f_blocks > 0,
      (geteuid() == 0 ? disk.f_bfree : disk.f_bavail) == 0
    else { return Diagnosis(step: step, .ok, "\(path) can be written") }
    return Diagnosis(
      step: step, .failure, "\(path): \(Errno.noSpace)", hint: "make room on the disk, or name a file on another one")
  }

  private func mapProblems(_ network: NetworkLoop) -> [Diagnosis] {
    let notices = Mutex<[String]>([])
    var (map, problems) = (map, [Diagnosis]())
    do throws(CommandError) {
      _ = try map.configuration(source: "doctor", kind: .gpsd) { notice in
        notices.withLock { $0.append(notice.message) }
      }
    } catch {
      problems.append(Diagnosis(step: "map page", refused: error.message, hint: "check the path of the file"))
    }
    map.tiles = nil
    let page = try? map.configuration(source: "doctor", kind: .gpsd) { _ in }
    let advice = [page.flatMap { MapPage(on: network, $0).help }].compactMap(\.self) + notices.withLock { $0 }
    return problems + advice.map { Diagnosis(step: "map page", .warning, $0) }
  }

  private nonisolated static let fileHint =
    "check the path, and whether this user may write there; the service has its own user, so try: sudo rxlocationd doctor"

  private nonisolated static let databaseHint =
    "start PostgreSQL there, and let it accept this host; on this host: sudo apt-get install postgresql, and as its user "
    + "postgres createuser and createdb, which Scripts/database of the source does as well"

  /// A limit of the service that keeps the browsers of other hosts out.
  private var sandboxProblem: Diagnosis? {
    let allowed = LocalHost.allowedAddresses(of: unit)
    guard !allowed.isEmpty, allowed.allSatisfy({ $0.hasPrefix("127.") || ["localhost", "::1"].contains($0) })
    else { return nil }
    return Diagnosis(
      step: "map page", .warning, "the sandbox of \(unit) lets only browsers of this host connect",
      hint:
        "sudo systemctl edit \(unit), write [Service] and below it IPAddressAllow=192.168.0.0/16 with your network, and "
        + "restart the service")
  }
}

extension Diagnosis {
  /// An address or a file that is in use: a running daemon has these settings, and any other program is in its way.
  fileprivate init(step: String, _ place: String, isUsedBy users: [LocalProcess]) {
    let words = users.isEmpty ? "another program" : users.map(\.words).joined(separator: ", ")
    if users.contains(where: { $0.identifier == getpid() }) {
      self.init(
        step: step, .failure, "\(place) is used by another output of these settings", hint: "give each output its own")
    } else if !users.isEmpty, users.allSatisfy(\.isDaemon) {
      self.init(step: step, .warning, "\(place): not checked: \(words) uses it already")
    } else {
      self.init(
        step: step, .failure, "\(place): \(words) uses it already", hint: "end that program, or choose another place")
    }
  }

  /// A database that can be written. `creation` creates the next month's partition, which this user may not create.
  fileprivate init(step: String, _ name: String, lacking creation: String?) {
    guard let creation else {
      self.init(step: step, .ok, "\(name) can be written")
      return
    }
    self.init(
      step: step, .warning,
      "\(name) can be written for the months that have a partition; this user cannot create partitions, so locations "
        + "of a device whose clock is years off cannot be kept",
      hint:
        "let the owner of its tables write it, or let a user who may create tables create each month's partition in time, "
        + "the next by: \(creation)")
  }
}
