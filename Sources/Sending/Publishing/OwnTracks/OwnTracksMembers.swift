import LocationKit
import Platform
import Records

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
