import Foundation
import Glibc
import LocationKit
import Testing

@testable import Output

@Suite(.serialized) @MainActor struct GPXFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("track.gpx") }

  init() throws { folder = try TemporaryFolder() }

  private func locations(_ count: Int) -> [Location] {
    var random = SeededGenerator(seed: 11)
    return (0..<count).map { number in
      var location = number % 3 == 0 ? Location(latitude: 0, longitude: 0) : NDJSONFormatterTests.full
      location.coordinate.latitude = .random(in: -90...90, using: &random)
      location.coordinate.longitude = .random(in: -180...180, using: &random)
      location.course = .random(in: 0...360, using: &random)
      location.timestamp = Date(timeIntervalSince1970: 1_708_760_163 + Double(number))
      if number % 5 == 0 { location.sourceInformation = LocationSourceInformation(device: "<a&b>\u{1}\u{FFFF}?>") }
      return location
    }
  }

  private func stream(appending: Bool, _ locations: [Location]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | (appending ? O_APPEND : O_TRUNC), 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(format: .gpx, descriptor: descriptor, whenFull: .wait)
    for location in locations { stream.write(location) }
    #expect(stream.finish(within: .seconds(30)))
  }

  private func expectValid(_ paths: [String]) throws {
    if let complaints = try GPXSchema.validate(paths, in: folder) { #expect(complaints == "") }
  }

  @Test func aFileIsADocumentAndShrinksToItAtTheEnd() throws {
    try stream(appending: false, locations(500))
    let bytes = Array(contents(path).utf8)
    #expect(pointCount(bytes) == 500)
    #expect(contents(path).hasSuffix("</trkseg></trk></gpx><?pad ?>"))
    try expectValid([path])
  }

  @Test(arguments: [false, true])
  func anEmptyStreamIsADocumentToo(_ appending: Bool) throws {
    try stream(appending: appending, [])
    #expect(pointCount(Array(contents(path).utf8)) == 0)
    try expectValid([path])
  }

  @Test func everyFormOfALocationIsValid() throws {
    var odd: [Location] = []
    for value in [Double.nan, .infinity, -1, 360, 359.99999, 1e300, 0] {
      var location = NDJSONFormatterTests.full
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
    try stream(appending: false, odd)
    #expect(pointCount(Array(contents(path).utf8)) == 11)
    try expectValid([path])
  }

  @Test func itsOwnDocumentIsContinuedWithANewSegment() throws {
    try stream(appending: true, locations(100))
    try stream(appending: true, locations(50))
    let text = contents(path)
    #expect(pointCount(Array(text.utf8)) == 150)
    #expect(text.components(separatedBy: "<trkseg>").count == 3)
    try expectValid([path])
  }

  @Test(arguments: ["hello", "<?xml version=\"1.0\"?><gpx/>", String(repeating: "x", count: 10_000)])
  func otherContentsAreRefusedAndLeftAlone(_ before: String) throws {
    try Data(before.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: OutputError.self) { try stream(appending: true, []) }
    #expect(error?.exitStatus == 73)
    #expect(contents(path) == before)
  }

  @Test func twoProgramsDoNotWriteOneDocument() throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(format: .gpx, descriptor: descriptor, whenFull: .wait)
    #expect(throws: OutputError.self) {
      try LocationStream(format: .gpx, descriptor: descriptor, whenFull: .wait)
    }
    #expect(stream.finish(within: .seconds(30)))
  }

  @Test func aKilledProgramLeavesAValidDocumentThatIsContinued() async throws {
    // Copies of the file while it is being written are what a kill would have left.
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(format: .gpx, descriptor: descriptor, whenFull: .wait)
    var copies: [String] = []
    for (number, location) in locations(2000).enumerated() {
      stream.write(location)
      if number % 200 == 199 {
        let deadline = Date.now.addingTimeInterval(30)
        while pointCount(Array(contents(path).utf8)) != number + 1 && Date.now < deadline {
          try await Task.sleep(for: .milliseconds(5))
        }
        let copy = folder.file("copy\(number).gpx")
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: copy))
        copies.append(copy)
      }
    }
    for copy in copies { #expect(pointCount(Array(contents(copy).utf8)) != nil) }
    try expectValid(copies)
    #expect(stream.finish(within: .seconds(30)))
    #expect(pointCount(Array(contents(path).utf8)) == 2000)

    guard let last = copies.last else { return }
    let points = pointCount(Array(contents(last).utf8)) ?? -1
    #expect(rename(last, path) == 0)
    try self.stream(appending: true, locations(10))
    #expect(pointCount(Array(contents(path).utf8)) == points + 10)
    try expectValid([path])
  }

  @Test func onAPipeTheDocumentIsStreamedAndClosed() throws {
    let pipe = try TestPipe()
    let stream = try LocationStream(format: .gpx, descriptor: pipe.writing, whenFull: .wait)
    for location in locations(20) { stream.write(location) }
    #expect(stream.finish(within: .seconds(30)))
    pipe.endWriting()
    var bytes: [UInt8] = []
    while case let more = pipe.read(), !more.isEmpty { bytes += more }
    #expect(pointCount(bytes) == 20)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try expectValid([path])
  }

  @Test func theFormatNoneWritesNothing() throws {
    let pipe = try TestPipe()
    let stream = try LocationStream(format: .none, descriptor: pipe.writing, whenFull: .wait)
    stream.write(NDJSONFormatterTests.full)
    stream.write(LocationError(.network, "gone"))
    #expect(stream.finish(within: .seconds(1)))
    #expect(stream.statistics == .init())
    pipe.endWriting()
    #expect(pipe.read().isEmpty)
  }
}
