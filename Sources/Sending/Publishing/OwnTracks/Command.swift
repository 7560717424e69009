public import LocationKit
import Records

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
