@testable import Records
import Foundation
import FoundationXML
import Glibc
import LocationKit
import SystemPackage
import Testing
import TestSupport

@testable import Output

/// Counts points and notices errors.
private final class PointCounter: NSObject, XMLParserDelegate {
  var points = 0
  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?,
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

@Suite(.serialized) @MainActor struct GPXFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("track.gpx") }

  init() throws { folder = try TemporaryFolder() }

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

  private func stream(appending: Bool, _ locations: [Location]) async throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | (appending ? O_APPEND : O_TRUNC), 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    for location in locations { stream.write(location) }
    #expect(await stream.finish() == .finished)
  }

  private func expectValid(_ paths: [String]) throws {
    if let complaints = try GPXSchema.validate(paths, in: folder) { #expect(complaints == "") }
  }

  @Test func aFileIsADocument() async throws {
    try await stream(appending: false, locations(500))
    let bytes = Array(contents(path).utf8)
    #expect(pointCount(bytes) == 500)
    #expect(contents(path).hasSuffix("</trkpt>\n</trkseg></trk></gpx>\n"))
    try expectValid([path])
  }

  @Test func whoeverWritesNextDoesSoBehindTheDocument() async throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    for location in locations(3) { stream.write(location) }
    #expect(await stream.finish() == .finished)
    #expect(lseek(descriptor, 0, SEEK_CUR) == contents(path).utf8.count)
  }

  @Test(arguments: [false, true])
  func anEmptyStreamIsADocumentToo(_ appending: Bool) async throws {
    try await stream(appending: appending, [])
    #expect(pointCount(Array(contents(path).utf8)) == 0)
    try expectValid([path])
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
    try await stream(appending: false, odd)
    #expect(pointCount(Array(contents(path).utf8)) == 11)
    try expectValid([path])
  }

  @Test func itsOwnDocumentIsContinuedWithANewSegment() async throws {
    try await stream(appending: true, locations(100))
    try await stream(appending: true, locations(50))
    let text = contents(path)
    #expect(pointCount(Array(text.utf8)) == 150)
    #expect(text.components(separatedBy: "<trkseg>").count == 3)
    try expectValid([path])
  }

  @Test(arguments: ["hello", "<?xml version=\"1.0\"?><gpx/>", String(repeating: "x", count: 10_000)])
  func otherContentsAreRefusedAndLeftAlone(_ before: String) async throws {
    try Data(before.utf8).write(to: URL(fileURLWithPath: path))
    let error = await #expect(throws: OutputError.self) { try await stream(appending: true, []) }
    #expect(error?.code == .cannotCreate)
    #expect(contents(path) == before)
  }

  @Test func twoProgramsDoNotWriteOneDocument() async throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    #expect(throws: OutputError.self) {
      try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    }
    #expect(await stream.finish() == .finished)
  }

  @Test func aKilledProgramLeavesAValidDocumentThatIsContinued() async throws {
    // Copies of the file while it is being written are what a kill would have left.
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    var copies: [String] = []
    for (number, location) in locations(2000).enumerated() {
      stream.write(location)
      if number % 200 == 199 {
        #expect(await TestSupport.eventually { pointCount(Array(contents(path).utf8)) == number + 1 })
        let copy = folder.file("copy\(number).gpx")
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: URL(fileURLWithPath: copy))
        copies.append(copy)
      }
    }
    for copy in copies { #expect(pointCount(Array(contents(copy).utf8)) != nil) }
    try expectValid(copies)
    #expect(await stream.finish() == .finished)
    #expect(pointCount(Array(contents(path).utf8)) == 2000)

    guard let last = copies.last else { return }
    let points = pointCount(Array(contents(last).utf8)) ?? -1
    #expect(rename(last, path) == 0)
    try await self.stream(appending: true, locations(10))
    #expect(pointCount(Array(contents(path).utf8)) == points + 10)
    try expectValid([path])
  }

  @Test func aDocumentWithoutItsEndIsContinuedAfterItsLastWholePoint() async throws {
    try await stream(appending: false, locations(40))
    let whole = Array(contents(path).utf8)
    let header = try #require(contents(path).range(of: "<trk><trkseg>\n")).upperBound
    let headerLength = contents(path)[..<header].utf8.count
    // Wherever a power cut or a kill between two pages may end the file.
    for length in stride(from: headerLength, to: whole.count, by: 331) {
      try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
      let kept = String(decoding: whole[..<length], as: UTF8.self).components(separatedBy: "</trkpt>\n").count - 1
      try await stream(appending: true, locations(2))
      #expect(pointCount(Array(contents(path).utf8)) == kept + 2)
    }
    try expectValid([path])
  }

  @Test(.mounts) func aFullDiskLeavesAWholeDocument() async throws {
    let mountPoint = folder.file("small")
    mkdir(mountPoint, 0o700)
    try #require(mount("tmpfs", mountPoint, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(mountPoint, Int32(MNT_DETACH)) }
    let full = mountPoint + "/track.gpx"
    let descriptor = open(full, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: descriptor, mode: .replay)
    for location in locations(1000) {
      stream.write(location)
      // One by one, so that some are written before the disk is full.
      if !stream.statistics.isFailing && stream.statistics.amount < 40_000 {
        let records = stream.statistics.records
        #expect(
          await TestSupport.eventually {
            stream.statistics.isFailing || pointCount(Array(contents(full).utf8)) == records
          })
      }
    }
    #expect(await stream.finish() == .failed(.noSpace))
    let points = try #require(pointCount(Array(contents(full).utf8)))
    #expect(points > 50 && points + stream.statistics.dropped == 1000)
    try expectValid([full])
  }

  @Test func onAPipeTheDocumentIsStreamedAndClosed() async throws {
    let pipe = try TestPipe()
    let stream = try LocationStream(formatter: GPXFormatter(), descriptor: pipe.writing, mode: .replay)
    // It fits into a page, so that the pipe takes it whole.
    for location in locations(5) { stream.write(location) }
    #expect(await stream.finish() == .finished)
    pipe.endWriting()
    var bytes: [UInt8] = []
    while case let more = pipe.read(), !more.isEmpty { bytes += more }
    #expect(pointCount(bytes) == 5)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try expectValid([path])
  }

  @Test func theFormatNoneWritesNothing() async throws {
    let pipe = try TestPipe()
    let stream = try LocationStream(formatter: nil, descriptor: pipe.writing, mode: .replay)
    stream.write(fullLocation)
    stream.write(LocationError(.network, "gone"))
    #expect(await stream.finish() == .finished)
    #expect(stream.statistics == .init())
    pipe.endWriting()
    #expect(pipe.read().isEmpty)
  }
}
