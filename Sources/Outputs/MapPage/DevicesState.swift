import FoundationEssentials
import LocationKit
import Records

/// Everything that a page of many devices shows, and how it is written as JSON.
///
/// A device costs its names and a few numbers, whatever it says, and what an event tells at once is bounded. What is more
/// waits for the next one.
struct DevicesState: Sendable {
  /// What is known of one device.
  struct Device: Sendable {
    var id: String
    var name: String?
    var state = State.searching
    /// NaN while no location has come.
    var coordinate = LocationCoordinate2D(latitude: .nan, longitude: .nan)
    // As precise as a receiver is; NaN is unknown.
    var speed = Float.nan
    var altitude = Float.nan
    var accuracy = Float.nan
    var course = Float.nan
    /// Seconds since 1970, by the device.
    var time = Double.nan
    /// Whether it waits to be told.
    var isChanged = false
  }

  /// The state of a device, by its number in the JSON.
  enum State: Int8, Sendable {
    case searching, current, stale
  }

  /// How many devices one event tells of at most.
  static let eventLimit = 5000

  var version: String
  var fences: [CircularRegion]
  var tiles: MapTiles?
  var units: MeasurementUnits?
  var hasHistory: Bool
  /// What to do about Leaflet; `nil` when it is there.
  var help: String?
  private(set) var devices: [Device] = []
  private var indices: [String: Int] = [:]
  /// Devices that wait to be told, the first to change first.
  private var changed: [Int] = []

  init(_ configuration: DevicesPage.Configuration, help: String?) {
    version = configuration.version
    fences = configuration.fences
    tiles = configuration.tiles
    units = configuration.units
    hasHistory = configuration.history != nil
    self.help = help
  }

  /// Whether there is something to tell.
  var hasChanges: Bool { !changed.isEmpty }

  func contains(_ id: String) -> Bool { indices[id] != nil }

  /// Changes a device, which is new if it is not known yet. It waits to be told if somebody wants to know.
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

  /// The devices that have waited to be told, as the data of an event.
  mutating func takeChanges() -> [UInt8] {
    let taken = changed.prefix(Self.eventLimit)
    changed.removeFirst(taken.count)
    for index in taken { devices[index].isChanged = false }
    return RecordBuffer.bytes(capacity: 64 + 96 * taken.count) { buffer in
      buffer.appendArray(taken) { self.devices[$1].append(to: &$0) }
    }
  }

  /// The whole, for `/devices.json` and the first event.
  var json: [UInt8] {
    RecordBuffer.bytes(capacity: 1024 + 96 * devices.count) { buffer in
      buffer.appendObject { buffer in
        buffer.appendMember("version", version)
        buffer.appendMember("now", Date())
        buffer.appendKey("fences")
        buffer.appendArray(fences) { buffer, fence in
          buffer.appendObject {
            $0.appendMember("id", fence.identifier)
            $0.appendMembers(of: fence.center)
            $0.appendMember("radius", fence.radius)
          }
        }
        if let tiles {
          buffer.appendKey("tiles")
          tiles.append(to: &buffer)
        }
        buffer.appendMember("units", units?.rawValue)
        if hasHistory { buffer.appendMember("history", true) }
        buffer.appendMember("leaflet", help == nil)
        buffer.appendMember("help", help)
        buffer.appendKey("devices")
        buffer.appendArray(devices) { $1.append(to: &$0) }
      }
    }
  }
}

extension DevicesState.Device {
  /// Takes a location.
  mutating func take(_ location: Location) {
    state = .current
    coordinate = location.coordinate
    speed = location.speed.map { Float($0) } ?? .nan
    altitude = location.altitude.map { Float($0) } ?? .nan
    accuracy = location.horizontalAccuracy.map { Float($0) } ?? .nan
    course = location.course.map { Float($0) } ?? .nan
    time = location.timestamp?.timeIntervalSince1970 ?? .nan
  }

  /// Takes what a manager says of the fix. Of a device that has never been anywhere nothing can be stale.
  mutating func take(_ fix: FixState) {
    switch fix {
    case .searching: state = .searching
    case .current: state = .current
    case .lost: state = coordinate.latitude.isNaN ? .searching : .stale
    }
  }

  /// `[id, name, state, latitude, longitude, time, speed, altitude, accuracy, course]`, `null` for what is not known. Names of
  /// members would be most of the text.
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
    buffer.append("]")
  }
}
