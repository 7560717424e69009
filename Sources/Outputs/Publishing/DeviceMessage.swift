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
    /// It is no JSON object with a type.
    case malformed
    /// There is no time, or none from 1970 to 2099.
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
    var type, data, name, event, desc, time: String?
    var lat, lon, tst, acc, alt, vac, vel, cog: Double?

    init(_ payload: [UInt8]) throws(Problem) {
      do throws(JSONError) {
        try JSONReader.forEachMember(of: payload) { take($0, $1) }
      } catch {
        throw .malformed
      }
    }

    private mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
      switch value {
      case .string(let bytes):
        if key.equals("_type") { type = JSONReader.text(bytes) }
        if key.equals("data") { data = JSONReader.text(bytes) }
        if key.equals("name") { name = JSONReader.text(bytes) }
        if key.equals("event") { event = JSONReader.text(bytes) }
        if key.equals("desc") { desc = JSONReader.text(bytes) }
        if key.equals("time") { time = JSONReader.text(bytes) }
      case .number(let bytes):
        // All names that matter have three letters.
        guard key.count == 3, let number = Double(decimal: bytes), number.isFinite else { return }
        if key.equals("lat") { lat = number }
        if key.equals("lon") { lon = number }
        if key.equals("tst") { tst = number }
        if key.equals("acc") { acc = number }
        if key.equals("alt") { alt = number }
        if key.equals("vac") { vac = number }
        if key.equals("vel") { vel = number }
        if key.equals("cog") { cog = number }
      case .boolean, .nested, .null: break
      }
    }

    /// `tst` is in whole seconds; this program's own messages have the fraction in `time`.
    private func timestamp() throws(Problem) -> Date {
      guard let tst, (0..<Self.latest).contains(tst) else { throw .noTime }
      if let exact = time.flatMap({ Date(timestamp: $0) }), exact.timeIntervalSince1970.rounded(.down) == tst {
        return exact
      }
      return Date(timeIntervalSince1970: tst)
    }

    /// 2100-01-01.
    private static let latest = 4_102_444_800.0

    func location(of device: String) throws(Problem) -> Location {
      let timestamp = try timestamp()
      guard let lat, let lon else { throw .noPlace }
      var location = Location(latitude: lat, longitude: lon)
      guard location.coordinate.isValid else { throw .noPlace }
      location.timestamp = timestamp
      // OwnTracks says 0, or less, when it does not know.
      location.horizontalAccuracy = acc.flatMap { $0 > 0 ? $0 : nil }
      location.altitude = alt
      location.verticalAccuracy = alt == nil ? nil : vac.flatMap { $0 > 0 ? $0 : nil }
      location.mode = alt == nil ? .twoDimensional : .threeDimensional
      location.speed = vel.flatMap { $0 >= 0 ? $0 / 3.6 : nil }
      location.course = cog.flatMap { (0...360).contains($0) ? $0.truncatingRemainder(dividingBy: 360) : nil }
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
