@testable import Records
import Foundation
import FoundationXML
import LocationKit
import Testing
import TestSupport

@testable import Writing

private final class PointCounter: NSObject, XMLParserDelegate {
  var points = 0
  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    if name == "trkpt" { points += 1 }
  }
}

/// The number of points in a well-formed document; `nil` when it is not well-formed.
func pointCount(_ bytes: [UInt8]) -> Int? {
  let parser = XMLParser(data: Data(bytes))
  let counter = PointCounter()
  parser.delegate = counter
  // Foundation returns true for text behind the root element, and has the error all the same.
  return parser.parse() && parser.parserError == nil ? counter.points : nil
}

@Suite(.inTurn) @MainActor struct GPXFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("track.gpx") }

  private func locations(_ count: Int) -> [Location] {
    var random = SplitMix(state: 11)
    return (0..<count).map { number in
      var location = number % 3 == 0 ? Location(latitude: 0, longitude: 0) : fullLocation
      location.coordinate.latitude = .random(in: -90...90, using: &random)
      location.coordinate.longitude = .random(in: -180...180, using: &random)
      location.course = .random(in: 0...360, using: &random)
      location.timestamp = Date(timeIntervalSince1970: 1_708_760_163 + Double(number))
      if number % 5 == 0 { location.sourceInformation = LocationSourceInformation(device: "<a&b>\u{1}\u{FFFF}?>") }
      return location
    }
  }

  /// Expects that these locations are a document with so many points.
  private func expectDocument(of locations: [Location], points: Int) async throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    for location in locations { stream.write(location) }
    #expect(await stream.finish() == .finished)
    #expect(pointCount(Array(contents(path).utf8)) == points)
    if let complaints = try GPXSchema.validate([path], in: folder) { #expect(complaints == "") }
  }

  @Test(arguments: [500, 0]) func aFileIsADocument(count: Int) async throws {
    try await expectDocument(of: locations(count), points: count)
    #expect(contents(path).hasSuffix("</trkpt>\n</trkseg></trk></gpx>\n") == (count > 0))
  }

  @Test func everyFormOfALocationIsValid() async throws {
    var odd: [Location] = []
    for value in [Double.nan, .infinity, -1, 360, 359.99999, 1e300, 0] {
      var location = fullLocation
      location.altitude = value
      location.speed = value
      location.course = value
      location.horizontalAccuracy = value
      location.satellitesUsed = value == -1 ? -1 : nil
      odd.append(location)
    }
    for longitude in [180, 179.9999999999, -180, 179.9999999994] {
      odd.append(Location(latitude: 90, longitude: longitude))
    }
    odd.append(Location(latitude: .nan, longitude: 0))
    odd.append(Location(latitude: 0, longitude: 181))
    try await expectDocument(of: odd, points: 11)
  }

  @Test func theFormatNoneWritesNothing() async throws {
    let pipe = try TestPipe()
    let stream = try LocationStream(formatter: nil, descriptor: pipe.writing, mode: .replay)
    stream.write(fullLocation)
    stream.write(LocationError(.network, "gone"))
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics == .init())
    #expect(await pipe.rest() == [])
  }
}
