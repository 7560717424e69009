import FoundationEssentials
public import LocationKit
import Platform
import Records

/// A parsed message of a device in OwnTracks' JSON.
public enum DeviceMessage: Sendable, Hashable {
  /// The device's location.
  case location(Location)
  /// The device has crossed the boundary of one of its own fences.
  case transition(RegionCrossing)
  /// The device's name.
  case card(name: String)
  /// Another type of OwnTracks without a location.
  case other

  /// The reason why a message is unusable.
  public enum Problem: Error, Sendable, Hashable {
    /// It is longer than any message of OwnTracks.
    case tooLong
    /// It is not a JSON object with a type.
    case malformed
    /// It has no time from 1970 to 2099.
    case noTime
    /// It has no valid coordinate.
    case noPlace
    /// It is encrypted with another key, or no key is configured.
    case encrypted
  }

  /// The size limit of a message in bytes.
  public static let limit = 256 << 10

  /// Parses a message.
  ///
  /// - Parameters:
  ///   - device: The sender.
  ///   - key: The key of encrypted messages. With a key, plain messages are accepted, too, as in OwnTracks Recorder.
  public init(_ payload: [UInt8], from device: String, key: PayloadKey? = nil) throws(Problem) {
    self = try Self.read(payload, from: device, key: key).message
  }

  /// Parses a message and the charge of the device's battery in it, in percent.
  package static func read(
    _ payload: [UInt8], from device: String, key: PayloadKey?
  ) throws(Problem) -> (message: DeviceMessage, battery: Int?) {
    guard payload.count <= Self.limit else { throw .tooLong }
    guard var members = OwnTracksMembers(payload) else { throw .malformed }
    if members.type == "encrypted" {
      guard let plain = members.decrypted(by: key) else { throw .encrypted }
      guard let content = OwnTracksMembers(plain) else { throw .malformed }
      members = content
    }
    switch members.type {
    case "location": return (.location(try members.location(of: device)), members.battery)
    case "transition": return (.transition(try members.crossing(of: device)), nil)
    case "card":
      let name = members.name ?? ""
      return (name.isEmpty ? .other : .card(name: name), nil)
    case nil: throw .malformed
    default: return (.other, nil)
    }
  }
}

extension OwnTracksMembers {
  fileprivate func location(of device: String) throws(DeviceMessage.Problem) -> Location {
    var location = place.location
    guard location.timestamp != nil else { throw .noTime }
    guard location.coordinate.isValid else { throw .noPlace }
    location.sourceInformation = LocationSourceInformation(deviceIdentifier: device)
    return location
  }

  fileprivate func crossing(of device: String) throws(DeviceMessage.Problem) -> RegionCrossing {
    guard let desc, let event, ["enter", "leave"].contains(event) else { throw .malformed }
    let location = try location(of: device)
    // The message does not contain the fence's radius.
    let region = Region(center: location.coordinate, radius: 0, identifier: desc)
    return RegionCrossing(region, event == "enter" ? .inside : .outside, at: location, isReported: true)
  }
}

/// A command to the publisher: OwnTracks' type cmd.
enum Command: Equatable {
  case reportLocation
  case status
  case waypoints
  case setWaypoints([FenceChange])

  /// The size limit of a command in bytes.
  static let limit = 256 << 10

  /// Parses a message; `nil` if it is not a supported command. With a key, only messages encrypted with it are accepted.
  init?(_ payload: [UInt8], key: PayloadKey? = nil) {
    guard payload.count <= Self.limit else { return nil }
    var message = OwnTracksMembers(payload)
    if let key { message = message?.decrypted(by: key).flatMap(OwnTracksMembers.init) }
    guard let message, message.type == "cmd" else { return nil }
    switch message.action {
    case "reportLocation": self = .reportLocation
    case "status": self = .status
    case "waypoints": self = .waypoints
    case "setWaypoints":
      guard let list = message.waypoints.flatMap(OwnTracksMembers.init), list.type == "waypoints",
        let changes = list.waypoints.flatMap(Self.changes)
      else { return nil }
      self = .setWaypoints(changes)
    default: return nil
    }
  }

  private static func changes(_ array: [UInt8]) -> [FenceChange]? {
    array.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      var changes: [FenceChange] = []
      do throws(JSONError) {
        try reader.forEachElement { element in
          guard case .nested(let bytes) = element, let waypoint = OwnTracksMembers(Array(bytes)),
            waypoint.type == "waypoint", let name = waypoint.desc, !name.isEmpty
          else { return }
          changes.append(waypoint.region(name).map { .set($0) } ?? .remove(name))
        }
      } catch {
        return nil
      }
      return changes
    }
  }
}

/// A command's change to a fence.
public enum FenceChange: Sendable, Hashable {
  /// Adds the fence or replaces the one with its name.
  case set(CircularRegion)
  /// Removes the fence with this name.
  case remove(String)
}

struct OwnTracksMembers {
  private(set) var type, data, name, event, desc, action: String?
  private(set) var place = OwnTracksLocation()
  private(set) var waypoints: [UInt8]?
  /// The charge of the battery in percent.
  private(set) var battery: Int?
  private var radius: Double?

  /// Reads a message; `nil` if it is not a JSON object.
  init?(_ payload: [UInt8]) {
    guard (try? JSONReader.forEachMember(of: payload) { read($0, $1) }) != nil else { return nil }
  }

  private mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
    place.read(key, value)
    switch value {
    case .string(let bytes):
      if key.equals("_type") { type = JSONReader.text(bytes) }
      if key.equals("data") { data = JSONReader.text(bytes) }
      if key.equals("name") { name = JSONReader.text(bytes) }
      if key.equals("event") { event = JSONReader.text(bytes) }
      if key.equals("desc") { desc = JSONReader.text(bytes) }
      if key.equals("action") { action = JSONReader.text(bytes) }
    case .number(let bytes):
      if key.equals("rad") { radius = Double(decimal: bytes) }
      if key.equals("batt") { battery = Double(decimal: bytes).flatMap { 0...100 ~= $0 ? Int($0) : nil } }
    case .nested(let bytes):
      if key.equals("waypoints") { waypoints = Array(bytes) }
    case .boolean, .null: break
    }
  }

  /// The content of a message of type encrypted; `nil` for other types and for another key.
  func decrypted(by key: PayloadKey?) -> [UInt8]? { type == "encrypted" ? data.flatMap { key?.decrypted($0) } : nil }

  /// The fence of a waypoint; `nil` for incomplete coordinates, with which OwnTracks deletes a fence.
  func region(_ name: String) -> CircularRegion? {
    guard let radius else { return nil }
    let region = CircularRegion(center: place.location.coordinate, radius: radius, identifier: name)
    return (try? region.check()) == nil ? nil : region
  }
}
