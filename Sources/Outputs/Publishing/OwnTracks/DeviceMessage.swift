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
    guard payload.count <= Self.limit else { throw .tooLong }
    var members = try Members(payload)
    if members.type == "encrypted" {
      guard let data = members.data, let plain = key?.decrypted(data) else { throw .encrypted }
      members = try Members(plain)
    }
    switch members.type {
    case "location": self = .location(try members.location(of: device))
    case "transition": self = .transition(try members.crossing(of: device))
    case "card":
      guard let name = members.name, !name.isEmpty else {
        self = .other
        return
      }
      self = .card(name: name)
    case nil: throw .malformed
    default: self = .other
    }
  }

  private struct Members {
    var type, data, name, event, desc: String?
    var place = OwnTracksLocation()

    init(_ payload: [UInt8]) throws(Problem) {
      do throws(JSONError) {
        try JSONReader.forEachMember(of: payload) { take($0, $1) }
      } catch {
        throw .malformed
      }
    }

    private mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
      place.read(key, value)
      guard case .string(let bytes) = value else { return }
      if key.equals("_type") { type = JSONReader.text(bytes) }
      if key.equals("data") { data = JSONReader.text(bytes) }
      if key.equals("name") { name = JSONReader.text(bytes) }
      if key.equals("event") { event = JSONReader.text(bytes) }
      if key.equals("desc") { desc = JSONReader.text(bytes) }
    }

    func location(of device: String) throws(Problem) -> Location {
      var location = place.location
      guard location.timestamp != nil else { throw .noTime }
      guard location.coordinate.isValid else { throw .noPlace }
      location.sourceInformation = LocationSourceInformation(deviceIdentifier: device)
      return location
    }

    func crossing(of device: String) throws(Problem) -> RegionCrossing {
      guard let desc, let event, ["enter", "leave"].contains(event) else { throw .malformed }
      let location = try location(of: device)
      // The message does not contain the fence's radius.
      let region = CircularRegion(center: location.coordinate, radius: 0, identifier: desc)
      return RegionCrossing(region, event == "enter" ? .inside : .outside, at: location, isReported: true)
    }
  }
}
