import LocationKit
import Platform
import Records

/// A command to the publisher: OwnTracks' type cmd.
enum Command: Equatable {
  /// Send the last location.
  case reportLocation
  /// Send a status.
  case status
  /// Send all fences.
  case waypoints
  /// Change fences.
  case setWaypoints([FenceChange])

  /// The size limit of a command in bytes.
  static let limit = 256 << 10

  /// Parses a message; `nil` if it is not a supported command.
  ///
  /// - Parameter key: With a key, only messages encrypted with it are accepted.
  init?(_ payload: [UInt8], key: PayloadKey? = nil) {
    guard payload.count <= Self.limit else { return nil }
    if let key {
      guard let box = Members(payload), box.type == "encrypted", let data = box.data,
        let payload = key.decrypted(data), let command = Command(payload)
      else { return nil }
      self = command
      return
    }
    guard let message = Members(payload), message.type == "cmd" else { return nil }
    switch message.action {
    case "reportLocation": self = .reportLocation
    case "status": self = .status
    case "waypoints": self = .waypoints
    case "setWaypoints":
      guard let list = message.waypoints.flatMap(Members.init), list.type == "waypoints", let array = list.waypoints,
        let changes = Self.changes(array)
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
          guard case .nested(let bytes) = element, let waypoint = Members(Array(bytes)), waypoint.type == "waypoint",
            let name = waypoint.desc, !name.isEmpty
          else { return }
          changes.append(waypoint.region(name).map { .set($0) } ?? .remove(name))
        }
      } catch {
        return nil
      }
      return changes
    }
  }

  /// The members of a command's message.
  private struct Members {
    var type, action, desc, data: String?
    var latitude, longitude, radius: Double?
    var waypoints: [UInt8]?

    init?(_ payload: [UInt8]) {
      do throws(JSONError) {
        try JSONReader.forEachMember(of: payload) { take($0, $1) }
      } catch {
        return nil
      }
    }

    private mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
      switch value {
      case .string(let bytes):
        let text = JSONReader.text(bytes)
        if key.equals("_type") { type = text }
        if key.equals("action") { action = text }
        if key.equals("desc") { desc = text }
        if key.equals("data") { data = text }
      case .number(let bytes):
        let number = Double(decimal: bytes)
        if key.equals("lat") { latitude = number }
        if key.equals("lon") { longitude = number }
        if key.equals("rad") { radius = number }
      case .nested(let bytes):
        if key.equals("waypoints") { waypoints = Array(bytes) }
      case .boolean, .null: break
      }
    }

    /// The fence of a waypoint; `nil` for incomplete coordinates, with which OwnTracks deletes a fence.
    func region(_ name: String) -> CircularRegion? {
      guard let latitude, let longitude, let radius else { return nil }
      let center = LocationCoordinate2D(latitude: latitude, longitude: longitude)
      let region = CircularRegion(center: center, radius: radius, identifier: name)
      return (try? region.check()) == nil ? nil : region
    }
  }
}
