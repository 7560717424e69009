import FoundationEssentials
public import LocationKit
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
