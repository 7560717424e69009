import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct FenceFileTests {
  private static let square = "[[8,47],[9,47],[9,48],[8,48],[8,47]]"

  private static func collection(_ features: String...) -> String {
    #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
  }

  private static func feature(_ type: String, _ coordinates: String, _ properties: String = #""name":"a""#) -> String {
    #"{"type":"Feature","geometry":{"type":"\#(type)","coordinates":\#(coordinates)},"properties":{\#(properties)}}"#
  }

  @Test func readsShapesAndNames() throws {
    let fences = try FenceFile.fences(
      Array(
        Self.collection(
          Self.feature("Polygon", "[\(Self.square),[[8.4,47.4],[8.6,47.4],[8.6,47.6],[8.4,47.4]]]"),
          Self.feature("MultiPolygon", "[[\(Self.square)]]", #""id":7"#),
          #"{"id":"top","type":"Feature","properties":null,"geometry":{"type":"Polygon","coordinates":[\#(Self.square)]}}"#,
          Self.feature("Point", "[8.5,47.5,400]", #""name":"caf\u00e9","note":"]}\"[{\\","radius":50"#)
        ).utf8))
    #expect(fences.map(\.identifier) == ["a", "7", "top", "café"])
    #expect(fences[3] == Region(center: .init(latitude: 47.5, longitude: 8.5), radius: 50, identifier: "café"))
    let hole = LocationCoordinate2D(latitude: 47.45, longitude: 8.55)
    #expect(fences.map { $0.contains(hole) } == [false, true, true, false])
    #expect(try FenceFile.fences(Array("\u{FEFF}\(Self.collection())".utf8)).isEmpty)
  }

  @Test(arguments: [
    ("", "is empty"), (" \n", "is empty"), ("{\"type\":", "ends in the middle of a record"),
    ("[]", "which begins with {"), ("<gpx/>", "which begins with {"), ("{x", "is not JSON at column 2"),
    ("{}", "is not a FeatureCollection of GeoJSON, but has no type"),
    (#"{"type":"Topology"}"#, "but Topology"), (#"{"type":"FeatureCollection"}"#, "is not a FeatureCollection"),
    (#"{"type":"FeatureCollection","features":{}}"#, "is not a FeatureCollection"),
    (collection("7"), "feature 1: it has not the type Feature"), (collection("null"), "feature 1: it has not the type"),
    (collection(feature("Polygon", "[\(square)]", "")), "feature 1: it has no name"),
    (
      collection(feature("Polygon", "[\(square)]"), feature("LineString", "[[1,2]]", #""name":"road""#)),
      "feature 2: road has the geometry LineString"
    ),
    (collection(#"{"type":"Feature","id":"b","geometry":null,"properties":{}}"#), "feature 1: b has no geometry"),
    (collection(feature("Point", "[8,47]")), "a is a Point without a property radius"),
    (collection(feature("Point", "[8,47]", #""name":"a","radius":-5"#)), "the radius -5.0 m is not above 0 m"),
    (collection(feature("Point", "[8]", #""name":"a","radius":5"#)), "feature 1: a is not a longitude and a latitude"),
    (collection(feature("Polygon", "[]")), "feature 1: region a: it has no ring"),
    (collection(feature("Polygon", "7")), "a has no rings"), (collection(feature("Polygon", "[[]]")), "ring 1 has 0"),
    (collection(feature("Polygon", "[[[8,47],[9,47],[9,48]]]")), "feature 1: a, ring 1 is not closed"),
    (collection(feature("Polygon", "[[[8,47],[9,47],[8,47]]]")), "ring 1 has 2 different corners"),
    (collection(feature("Polygon", "[\(square),[[8,\"x\"]]]")), "a, ring 2, position 1 is not a longitude"),
    (
      collection(feature("Polygon", "[[[8,97],[9,47],[9,48],[8,97]]]")),
      "a, ring 1, position 1: the longitude 8.0 and latitude 97.0"
    ),
    (
      collection(feature("MultiPolygon", "[[\(square)],[[[8,47],[9,47],[9,48]]]]")),
      "a, polygon 2, ring 1 is not closed"
    ),
    (collection(feature("Polygon", "[[[8,47],[9,48],[10,49],[8,47]]]")), "region a: it has no inside"),
    (
      collection(feature("Polygon", String(repeating: "[", count: 40) + String(repeating: "]", count: 40))),
      "nested too deeply"
    ),
  ])
  func namesTheFeatureAndTheReason(text: String, part: String) {
    let error = #expect(throws: SettingError.self) { try FenceFile.fences(Array(text.utf8)) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }
}
