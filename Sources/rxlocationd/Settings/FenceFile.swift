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
    // Some editors write a byte order mark before UTF-8.
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    guard let first = text.first(where: { $0 > UInt8(ascii: " ") }) else { throw SettingError("is empty") }
    guard first == UInt8(ascii: "{") else {
      throw SettingError("is not a FeatureCollection of GeoJSON, which begins with {")
    }
    let file: JSONValue
    do throws(JSONError) {
      file = try text.withUnsafeBufferPointer { text throws(JSONError) in try JSONValue(object: text) }
    } catch {
      throw SettingError(error.description)
    }
    guard file["type"].text == "FeatureCollection", let features = file["features"].array else {
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
      let polygons = try each("polygon", of: coordinates, name, polygon)
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

  /// Reads the elements of an array. Messages name each by the array's place and its own number.
  private static func each<Element>(
    _ kind: String, of value: JSONValue, _ place: String,
    _ read: (JSONValue, _ place: String) throws(SettingError) -> Element
  ) throws(SettingError) -> [Element] {
    guard let array = value.array else { throw SettingError("\(place) has no \(kind)s") }
    var elements: [Element] = []
    for one in array { elements.append(try read(one, "\(place), \(kind) \(elements.count + 1)")) }
    return elements
  }

  private static func polygon(_ value: JSONValue, _ place: String) throws(SettingError) -> [[LocationCoordinate2D]] {
    try each("ring", of: value, place) { value, place throws(SettingError) in
      let ring = try each("position", of: value, place, position)
      guard ring.first == ring.last else {
        throw SettingError("\(place) is not closed; its last position has to be its first one")
      }
      return ring
    }
  }

  private static func position(_ value: JSONValue, _ place: String) throws(SettingError) -> LocationCoordinate2D {
    guard let list = value.array, list.count >= 2, let longitude = list[0].number, let latitude = list[1].number else {
      throw SettingError("\(place) is not a longitude and a latitude")
    }
    guard abs(latitude) <= 90, abs(longitude) <= 360 else {
      throw SettingError("\(place): the longitude \(longitude) and latitude \(latitude) are not on the earth")
    }
    return LocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}

extension JSONValue {
  /// A text, or a number as text.
  fileprivate var text: String? {
    string ?? number.map { number in Int(exactly: number).map { "\($0)" } ?? "\(number)" }
  }
}
