import LocationKit

/// Makes updates of the reports of one connection to gpsd. For one thread.
struct Session {
  enum Update {
    /// A report of one receiver. The name is gpsd's for its device, empty when gpsd does not name it.
    case report(LocationSourceEvent, receiver: String)
    case removed(receiver: String)
    case event(LocationSourceEvent)
    case log(GPSDLogLevel, String)
  }

  private static let messageLimit = 10
  private let endpoint: GPSDEndpoint
  private var isWatching = false
  private var epochs = EpochMerger()
  private var devices: [String] = []
  private var release = ""
  private var messages = 0
  private var hasMalformedLine = false

  init(endpoint: GPSDEndpoint) { self.endpoint = endpoint }

  /// Appends the updates of a report that came at `now` on the source's clock.
  mutating func receive(_ report: GPSDReport, at now: Double, into updates: inout [Update]) {
    switch report {
    case .malformed:
      if !hasMalformedLine {
        updates.append(.log(.warning, "gpsd at \(endpoint.server) sent a line that is not valid"))
      }
      hasMalformedLine = true
    case .other, .pulse, .unwanted: break
    case .version(let release): self.release = release
    case .watch: establish(&updates)
    case .devices(let list): setDevices(list, &updates)
    case .device(let path, isActive: true): setDevices(devices.contains(path) ? devices : devices + [path], &updates)
    case .device(let path, isActive: false):
      epochs.remove(path)
      updates.append(.removed(receiver: path))
      setDevices(devices.filter { $0 != path }, &updates)
    case .fix(let draft, let source):
      guard counts(source.device) else { break }
      if let event = epochs.receive(draft, from: source, at: now) { add(event, of: source.device, &updates) }
    case .sky(let device, let satellites, let seen, let used, let dilution):
      guard counts(device) else { break }
      epochs.receiveSky(of: device, seen: seen, used: used, dilution)
      if let satellites { add(.satellites(satellites), of: device, &updates) }
    case .heading(let device, let heading):
      if counts(device) { add(.heading(heading), of: device, &updates) }
    case .error(let message):
      messages += 1
      if messages <= Self.messageLimit { updates.append(.log(.warning, "gpsd says: \(printable(message))")) }
    }
  }

  private func counts(_ device: String?) -> Bool { endpoint.device == nil || endpoint.device == device }

  private func add(_ event: LocationSourceEvent, of device: String?, _ updates: inout [Update]) {
    updates.append(.report(event, receiver: device ?? ""))
  }

  private mutating func establish(_ updates: inout [Update]) {
    guard !isWatching else { return }
    isWatching = true
    let list = devices.isEmpty ? "no device yet" : devices.map(printable).joined(separator: ", ")
    updates.append(.event(.status(.connected(devices: devices))))
    updates.append(.log(.info, "connected to gpsd \(printable(release)) at \(endpoint.server): \(list)"))
    warnOfMissingDevice(&updates)
  }

  private mutating func setDevices(_ list: [String], _ updates: inout [Update]) {
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

  private func warnOfMissingDevice(_ updates: inout [Update]) {
    guard let device = endpoint.device, !devices.contains(device) else { return }
    updates.append(.log(.warning, "gpsd at \(endpoint.server) has no device \(device); waiting for it"))
  }

  /// The peer's text without characters that would garble a log.
  private func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
  }
}
