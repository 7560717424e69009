import LocationKit

/// The state of one connection to gpsd: it takes lines and makes updates. For one thread.
struct Session {
  /// Whether gpsd has greeted.
  private(set) var hasGreeted = false
  /// Whether gpsd has confirmed the watch and is streaming.
  private(set) var isWatching = false
  /// Whether a device has sent a report.
  private(set) var hasReported = false

  private static let messageLimit = 10
  private let endpoint: GPSDEndpoint
  private let decoder: ReportDecoder
  private var epochs = EpochMerger()
  private var devices: [String] = []
  private var release = ""
  private var messages = 0
  private var hasMalformedLine = false

  init(endpoint: GPSDEndpoint, decoder: ReportDecoder) {
    self.endpoint = endpoint
    self.decoder = decoder
  }

  /// Decodes a line that came at `now` on the monotonic clock and appends the updates that `interests` ask for.
  ///
  /// - Throws: `notGPSD` when the first line is not gpsd's greeting.
  mutating func take(
    _ line: UnsafeRawBufferPointer, at now: Double, for interests: LocationSourceInterests = .all,
    into updates: inout [GPSDUpdate]
  ) throws(ConnectionFailure) {
    let report = decoder.decode(line, for: interests)
    guard hasGreeted else {
      guard case .version(let release) = report else { throw .notGPSD("what answers there is not gpsd") }
      self.release = release
      hasGreeted = true
      return
    }
    switch report {
    case .malformed:
      if !hasMalformedLine {
        updates.append(.log(.warning, "gpsd at \(endpoint.server) sent a line that is not valid"))
      }
      hasMalformedLine = true
    case .other, .version, .pulse: break
    case .watch: establish(&updates)
    case .devices(let list): setDevices(list, &updates)
    case .device(let path, isActive: true): setDevices(devices.contains(path) ? devices : devices + [path], &updates)
    case .device(let path, isActive: false):
      epochs.remove(path)
      updates.append(.removed(receiver: path))
      setDevices(devices.filter { $0 != path }, &updates)
    case .fix(let draft, let source):
      hasReported = true
      guard counts(source.device) else { break }
      if let event = epochs.take(draft, from: source, at: now) { add(event, of: source.device, &updates) }
    case .sky(let device, let satellites, let dilution):
      hasReported = true
      guard counts(device) else { break }
      epochs.take(skyOf: device, seen: satellites.count, used: satellites.count(where: \.isUsed))
      epochs.take(dilution, of: device)
      add(.satellites(satellites), of: device, &updates)
    case .skyCounts(let device, let seen, let used, let dilution):
      hasReported = true
      guard counts(device) else { break }
      epochs.take(skyOf: device, seen: seen, used: used)
      epochs.take(dilution, of: device)
    case .skyWithoutList(let device, let seen, let used, let dilution):
      guard counts(device) else { break }
      epochs.take(skyOf: device, seen: seen, used: used)
      epochs.take(dilution, of: device)
    case .unwanted: hasReported = true
    case .heading(let device, let heading):
      hasReported = true
      if counts(device) { add(.heading(heading), of: device, &updates) }
    case .error(let message):
      messages += 1
      if messages <= Self.messageLimit { updates.append(.log(.warning, "gpsd says: \(printable(message))")) }
    }
  }

  private func counts(_ device: String?) -> Bool {
    endpoint.device == nil || endpoint.device == device
  }

  private func add(_ event: LocationSourceEvent, of device: String?, _ updates: inout [GPSDUpdate]) {
    updates.append(.report(event, receiver: device ?? ""))
  }

  private mutating func establish(_ updates: inout [GPSDUpdate]) {
    guard !isWatching else { return }
    isWatching = true
    let list = devices.isEmpty ? "no device yet" : devices.map(printable).joined(separator: ", ")
    updates.append(.event(.status(.connected(devices: devices))))
    updates.append(.log(.info, "connected to gpsd \(printable(release)) at \(endpoint.server): \(list)"))
    warnOfMissingDevice(&updates)
  }

  private mutating func setDevices(_ list: [String], _ updates: inout [GPSDUpdate]) {
    guard list != devices else { return }
    let gone = devices.filter { !list.contains($0) }
    let new = list.filter { !devices.contains($0) }
    devices = list
    // gpsd lists its devices just before it confirms the watch; one event then reports both.
    guard isWatching else { return }
    updates.append(.event(.status(.connected(devices: devices))))
    for device in gone { updates.append(.log(.notice, "gpsd no longer has \(printable(device))")) }
    for device in new { updates.append(.log(.info, "gpsd has \(printable(device))")) }
    if !gone.isEmpty { warnOfMissingDevice(&updates) }
  }

  private func warnOfMissingDevice(_ updates: inout [GPSDUpdate]) {
    guard let device = endpoint.device, !devices.contains(device) else { return }
    updates.append(.log(.warning, "gpsd at \(endpoint.server) has no device \(device); waiting for it"))
  }

  /// The peer's text without characters that would garble a log.
  private func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}
