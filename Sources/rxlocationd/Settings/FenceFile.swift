import LocationKit
import Platform
import Records
import SystemPackage

extension FenceOptions {
  @MainActor mutating func readFile(again: Bool) async throws(CommandError) {
    guard let fenceFile else { return }
    let bytes = try await ConfigurationFile.bytes(of: fenceFile, again: again, limit: FenceFile.limit)
    do {
      // The main actor does not wait for a large file.
      fences += try await Thread.result { Result { () throws(SettingError) in try FenceFile.fences(bytes) } }.get()
    } catch {
      throw CommandError(.configuration, "\(fenceFile): \(error)")
    }
  }
}

/// A file of fences: a FeatureCollection of GeoJSON (RFC 7946). A feature is a Polygon, a MultiPolygon, or a Point with a
/// property `radius` in metres. Its property `name`, or else its `id`, is the fence's name.
enum FenceFile {
  static let limit = 64 << 20

  static func fences(_ text: [UInt8]) throws(SettingError) -> [Region] {
    var members: [String: JSONValue] = [:]
    // Some editors write a byte order mark before UTF-8.
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    guard let first = text.first(where: { $0 > UInt8(ascii: " ") }) else { throw SettingError("is empty") }
    guard first == UInt8(ascii: "{") else {
      throw SettingError("is not a FeatureCollection of GeoJSON, which begins with {")
    }
    do throws(JSONError) {
      try JSONReader.forEachMember(of: text) { members[String(decoding: $0, as: UTF8.self)] = JSONValue($1) }
    } catch {
      throw SettingError(error.description)
    }
    let file = JSONValue.object(members)
    guard file["type"].text == "FeatureCollection", let features = file["features"].list else {
      throw SettingError("is not a FeatureCollection of GeoJSON, but \(file["type"].text ?? "has no type")")
    }
    var fences: [Region] = []
    for feature in features {
      do throws(SettingError) {
        fences.append(try region(feature))
      } catch {
        throw SettingError("feature \(fences.count + 1): \(error)")
      }
    }
    return fences
  }

  private static func region(_ feature: JSONValue) throws(SettingError) -> Region {
    guard feature["type"].text == "Feature" else { throw SettingError("it has not the type Feature") }
    let (properties, geometry) = (feature["properties"], feature["geometry"])
    guard let name = properties["name"].text ?? feature["id"].text ?? properties["id"].text, !name.isEmpty else {
      throw SettingError("it has no name; give it a property name, or an id")
    }
    let (type, coordinates) = (geometry["type"].text, geometry["coordinates"])
    let region: Region
    switch type {
    case "Polygon": region = .polygon(PolygonalRegion(polygons: [try polygon(coordinates, name)], identifier: name))
    case "MultiPolygon":
      var polygons: [[[LocationCoordinate2D]]] = []
      for one in try list(coordinates, "\(name) has no polygons") {
        polygons.append(try polygon(one, "\(name), polygon \(polygons.count + 1)"))
      }
      region = .polygon(PolygonalRegion(polygons: polygons, identifier: name))
    case "Point":
      guard let radius = properties["radius"].number else {
        throw SettingError("\(name) is a Point without a property radius in metres")
      }
      region = Region(center: try position(coordinates, name), radius: radius, identifier: name)
    default:
      throw SettingError(
        "\(name) has \(type.map { "the geometry \($0)" } ?? "no geometry"), and a fence is a Polygon, a MultiPolygon "
          + "or a Point with a radius")
    }
    do {
      try region.check()
    } catch {
      throw SettingError(error.message)
    }
    return region
  }

  private static func polygon(_ value: JSONValue, _ place: String) throws(SettingError) -> [[LocationCoordinate2D]] {
    var rings: [[LocationCoordinate2D]] = []
    for one in try list(value, "\(place) has no rings") {
      let place = "\(place), ring \(rings.count + 1)"
      var ring: [LocationCoordinate2D] = []
      for one in try list(one, "\(place) has no positions") {
        ring.append(try position(one, "\(place), position \(ring.count + 1)"))
      }
      guard ring.first == ring.last else {
        throw SettingError("\(place) is not closed; its last position has to be its first one")
      }
      rings.append(ring)
    }
    return rings
  }

  private static func position(_ value: JSONValue, _ place: String) throws(SettingError) -> LocationCoordinate2D {
    guard let list = value.list, list.count >= 2, let longitude = list[0].number, let latitude = list[1].number else {
      throw SettingError("\(place) is not a longitude and a latitude")
    }
    guard abs(latitude) <= 90, abs(longitude) <= 360 else {
      throw SettingError("\(place): the longitude \(longitude) and latitude \(latitude) are not on the earth")
    }
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }

  private static func list(_ value: JSONValue, _ problem: @autoclosure () -> String) throws(SettingError) -> [JSONValue]
  {
    guard let list = value.list else { throw SettingError(problem()) }
    return list
  }
}

private indirect enum JSONValue {
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
  case other

  init(_ value: JSONReader.Value) {
    switch value {
    case .number(let bytes): self = Double(decimal: bytes).map { .number($0) } ?? .other
    case .string(let bytes): self = JSONReader.text(bytes).map { .string($0) } ?? .other
    case .nested(let bytes):
      // The reader has read it already, so there is no error.
      var (reader, list, members) = (JSONReader(bytes), [JSONValue](), [String: JSONValue]())
      if bytes.first == UInt8(ascii: "[") {
        try? reader.forEachElement { list.append(JSONValue($0)) }
        self = .array(list)
      } else {
        try? reader.forEachMember { members[String(decoding: $0, as: UTF8.self)] = JSONValue($1) }
        self = .object(members)
      }
    case .boolean, .null: self = .other
    }
  }

  subscript(name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .other } else { .other }
  }

  var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// A text, or a number as text.
  var text: String? {
    switch self {
    case .string(let text): text
    case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .array, .object, .other: nil
    }
  }
}
