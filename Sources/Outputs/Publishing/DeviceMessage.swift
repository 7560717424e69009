import FoundationEssentials
public import LocationKit
import Platform
import Records

/// What a device has sent: OwnTracks' JSON, read.
public enum DeviceMessage: Sendable, Hashable {
  /// Where it is.
  case location(Location)
  /// It has crossed the boundary of a fence of its own.
  case transition(RegionCrossing)
  /// What it is called.
  case card(name: String)
  /// Something else that OwnTracks has a type for, and that says nothing about where the device is.
  case other

  /// Why a message says nothing.
  public enum Problem: Error, Sendable, Hashable {
    /// It is longer than any message of OwnTracks.
    case tooLong
    /// It is not a JSON object with a type.
    case malformed
    /// There is no time from 1970 to 2099.
    case noTime
    /// There is no place on the earth.
    case noPlace
    /// It is encrypted, with another key or with one where there is none.
    case encrypted
  }

  /// The most bytes of a message that is read.
  public static let limit = 256 << 10

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - device: Whom it is from.
  ///   - key: What it may be encrypted with. With a key others than encrypted ones count, too, as OwnTracks Recorder has it.
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
      // The message does not say how large the fence is.
      let region = CircularRegion(center: location.coordinate, radius: 0, identifier: desc)
      return RegionCrossing(region, event == "enter" ? .inside : .outside, at: location, isReported: true)
    }
  }
}
