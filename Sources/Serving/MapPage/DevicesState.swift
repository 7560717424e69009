import FoundationEssentials
import LocationKit
import Records

/// The state of a page of many devices, and its JSON.
///
/// A device costs its names and a few numbers, and the size of an event is bounded. Further changes wait for the next
/// event.
struct DevicesState: Sendable {
  struct Device: Sendable {
    var id: String
    var name: String?
    var state = State.searching
    /// NaN until the first location.
    var coordinate = LocationCoordinate2D(latitude: .nan, longitude: .nan)
    // Float is as precise as a receiver; NaN is unknown.
    var speed = Float.nan
    var altitude = Float.nan
    var accuracy = Float.nan
    var course = Float.nan
    /// Seconds since 1970, by the device.
    var time = Double.nan
    var battery: Int?
    var fences: [String] = []
    var isChanged = false
  }

  enum State: Int8, Sendable {
    case searching, current, stale
  }

  static let eventLimit = 5000

  var page: PageMembers
  var fences: [Region]
  /// Why nothing is received, and since when; `nil` while the devices' messages come.
  var outage: (reason: String, since: Date)?
  private(set) var devices: [Device] = []
  private var indices: [String: Int] = [:]
  /// Devices with unsent changes, the first to change first.
  private var changed: [Int] = []

  init(_ configuration: DevicesPage.Configuration, help: String?) {
    page = PageMembers(
      version: configuration.version, tiles: configuration.tiles, units: configuration.units,
      hasHistory: configuration.history != nil, help: help)
    fences = configuration.fences
  }

  var hasChanges: Bool { !changed.isEmpty }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// Changes a device, and adds it if it is new. If the page has an audience, the change is marked for sending.
  mutating func change(_ id: String, isFollowed: Bool, _ change: (inout Device) -> Void) {
    let index: Int
    if let known = indices[id] {
      index = known
    } else {
      index = devices.count
      devices.append(Device(id: id))
      indices[id] = index
    }
    change(&devices[index])
    guard isFollowed, !devices[index].isChanged else { return }
    devices[index].isChanged = true
    changed.append(index)
  }

  mutating func removeChanges() -> [UInt8] {
    let sent = changed.prefix(Self.eventLimit)
    changed.removeFirst(sent.count)
    for index in sent { devices[index].isChanged = false }
    return RecordBuffer.bytes(capacity: 64 + 96 * sent.count) { buffer in
      buffer.appendArray(sent) { self.devices[$1].append(to: &$0) }
    }
  }

  var json: [UInt8] {
    RecordBuffer.bytes(capacity: 1024 + 96 * devices.count) { buffer in
      buffer.appendObject { buffer in
        page.append(to: &buffer)
        appendOutage(to: &buffer)
        buffer.appendArray("fences", fences) { buffer, fence in
          buffer.appendObject { $0.appendMembers(of: fence) }
        }
        buffer.appendArray("devices", devices) { $1.append(to: &$0) }
      }
    }
  }
}

extension DevicesState {
  func appendOutage(to buffer: inout RecordBuffer) {
    guard let outage else { return }
    buffer.appendObject("outage") {
      $0.appendMember("reason", outage.reason)
      $0.appendMember("since", outage.since)
    }
  }
}

extension DevicesState.Device {
  mutating func apply(_ location: Location) {
    state = .current
    coordinate = location.coordinate
    speed = location.speed.map { Float($0) } ?? .nan
    altitude = location.altitude.map { Float($0) } ?? .nan
    accuracy = location.horizontalAccuracy.map { Float($0) } ?? .nan
    course = location.course.map { Float($0) } ?? .nan
    time = location.timestamp?.timeIntervalSince1970 ?? .nan
  }

  mutating func apply(_ fix: FixState) {
    switch fix {
    case .searching: state = .searching
    case .current: state = .current
    case .lost: state = coordinate.latitude.isNaN ? .searching : .stale
    }
  }

  /// `[id, name, state, latitude, longitude, time, speed, altitude, accuracy, course, battery]`, with `null` for unknown
  /// values, and the names of its fences if it is in one. As an object, most of the text would be names.
  func append(to buffer: inout RecordBuffer) {
    buffer.append("[")
    buffer.appendJSONString(id)
    buffer.append(",")
    if let name { buffer.appendJSONString(name) } else { buffer.append("null") }
    buffer.append(",")
    buffer.append(Int(state.rawValue))
    for degrees in [coordinate.latitude, coordinate.longitude] {
      buffer.append(",")
      buffer.appendJSONNumber(degrees, places: .angle)
    }
    buffer.append(",")
    buffer.appendJSONNumber(time)
    for value in [speed, altitude, accuracy, course] {
      buffer.append(",")
      buffer.appendJSONNumber(Double(value))
    }
    buffer.append(",")
    if let battery { buffer.append(battery) } else { buffer.append("null") }
    if !fences.isEmpty {
      buffer.append(",")
      buffer.appendArray(fences) { $0.appendJSONString($1) }
    }
    buffer.append("]")
  }
}
