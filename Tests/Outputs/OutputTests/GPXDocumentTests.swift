import Foundation
import FoundationXML
import Glibc
import LocationKit
import Testing

@testable import Output

/// A file in memory that remembers every write, and what a power failure could leave of those since the last sync.
final class CrashingStorage: GPXStorage {
  init() {}

  private(set) var synced: [UInt8] = []
  private(set) var current: [UInt8] = []
  /// Writes since the last sync, cut into sectors; a truncation is a write without bytes.
  private var pending: [(offset: Int, bytes: [UInt8])] = []
  /// Called with the contents at every moment at which the process or the machine may die.
  var onMoment: (([UInt8]) -> Void)?
  /// Fails writes beyond this length, as a full disk does.
  var room = Int.max
  var failsWith: Int32 = 0
  private var random = SeededGenerator(seed: 1)

  var length: Int { current.count }

  convenience init(holding bytes: [UInt8]) {
    self.init()
    (synced, current) = (bytes, bytes)
  }

  func read(_ count: Int, at offset: Int) -> [UInt8]? {
    offset >= 0 && offset + count <= current.count ? Array(current[offset..<offset + count]) : nil
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    if failsWith != 0 { return failsWith }
    // The kernel copies page by page, and a kill takes effect between two of them.
    var position = 0
    while position < bytes.count {
      let page = min(bytes.count - position, 4096 - (offset + position) % 4096)
      if offset + position + page > room { return ENOSPC }
      store(Array(bytes[position..<position + page]), at: offset + position, in: &current)
      position += page
      onMoment?(current)
    }
    var start = 0
    while start < bytes.count {
      let length = min(bytes.count - start, 512 - (offset + start) % 512)
      pending.append((offset + start, Array(bytes[start..<start + length])))
      start += length
    }
    losePower()
    return 0
  }

  func sync() -> Int32 {
    if failsWith != 0 { return failsWith }
    synced = current
    pending = []
    return 0
  }

  func truncate(to length: Int) -> Int32 {
    if length < current.count { current.removeSubrange(length...) }
    onMoment?(current)
    // Whether the new length survives or not, the writes before it may or may not.
    losePower()
    if length < synced.count { synced.removeSubrange(length...) }
    pending.removeAll { $0.offset >= length }
    losePower()
    return 0
  }

  /// Every prefix and every suffix of the unsynced sectors, each alone, and random choices of them.
  private func losePower() {
    guard let onMoment else { return }
    let count = pending.count
    var choices = (0...count).flatMap { cut in [Array(0..<cut), Array(cut..<count)] }
    if choices.count > 24 { choices = (0..<24).map { choices[$0 * choices.count / 24] } }
    choices += (0..<min(count, 8)).map { [$0 * count / min(count, 8)] }
    for _ in 0..<4 { choices.append((0..<count).filter { _ in random.next() % 2 == 0 }) }
    for choice in choices {
      var disk = synced
      for index in choice {
        // File systems write a file's new length after the data that it makes visible.
        if pending[index].offset > disk.count { break }
        store(pending[index].bytes, at: pending[index].offset, in: &disk)
      }
      onMoment(disk)
    }
  }

  private func store(_ bytes: [UInt8], at offset: Int, in file: inout [UInt8]) {
    if file.count < offset + bytes.count {
      file += [UInt8](repeating: 0, count: offset + bytes.count - file.count)
    }
    file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}

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
  // Foundation returns true for text behind the root element, and tells the error all the same.
  return parser.parse() && parser.parserError == nil ? counter.points : nil
}

@Suite struct GPXDocumentTests {
  static func points(_ count: Int, from first: Int = 0) -> [UInt8] {
    var formatter = GPXFormatter()
    var buffer = RecordBuffer()
    for number in first..<first + count {
      var location = NDJSONFormatterTests.full
      location.coordinate.latitude = Double(number % 90)
      location.timestamp = Date(timeIntervalSince1970: 1_708_760_163 + Double(number))
      formatter.append(location, to: &buffer)
    }
    return buffer.withUnsafeBytes { Array($0) }
  }

  @Test(arguments: [1, 3, 25])
  func everyMomentIsAValidDocumentOfWhatWasCommitted(_ batch: Int) throws {
    let storage = CrashingStorage()
    var moments = 0
    var least = 0
    var most = 0
    var seen: Set<Int> = []
    var document = try GPXDocument.create(in: storage).get()
    storage.onMoment = { bytes in
      // Many moments differ in nothing.
      guard seen.insert(bytes.hashValue).inserted else { return }
      moments += 1
      let count = pointCount(bytes)
      if count.map({ $0 >= least && $0 <= most }) != true {
        Issue.record(
          "\(count.map(String.init) ?? "no document") instead of \(least) … \(most) points")
      }
    }
    for step in 0..<(30 / batch + 2) {
      let points = Self.points(batch, from: step * batch)
      // What was committed before may be lost with the power until the next sync, but no more than one batch.
      least = max(most - batch, 0)
      most += batch
      #expect(points.withUnsafeBytes { document.append($0) } == 0)
      #expect(pointCount(storage.current) == most)
      #expect(storage.current.count == document.length)
    }
    least = most - batch
    #expect(document.finish() == 0)
    #expect(pointCount(storage.current) == most)
    #expect(storage.current.suffix(8) == GPXLayout.endMark[...])
    #expect(moments > 100)
  }

  @Test func whateverACrashLeavesIsContinued() throws {
    let storage = CrashingStorage()
    var left: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    storage.onMoment = { if !$0.isEmpty && seen.insert($0).inserted { left.append($0) } }
    var document = try GPXDocument.create(in: storage).get()
    for step in 0..<8 { #expect(Self.points(3, from: step).withUnsafeBytes { document.append($0) } == 0) }
    #expect(document.finish() == 0)
    #expect(left.count > 100)
    let stride = max(left.count / 200, 1)
    for (index, bytes) in left.enumerated() where index % stride == 0 {
      let before = try #require(pointCount(bytes))
      let again = CrashingStorage(holding: bytes)
      // Some of them crash again while they are continued.
      if index % 20 < stride { again.onMoment = { #expect((pointCount($0) ?? -1) >= before) } }
      guard case .success(var next)? = GPXSealSearch(storage: again).run() else {
        Issue.record("a document of \(bytes.count) bytes was not found")
        continue
      }
      #expect(Self.points(2).withUnsafeBytes { next.append($0) } == 0)
      #expect(pointCount(again.current) == before + 2)
      #expect(next.finish() == 0)
      #expect(pointCount(again.current) == before + 2)
    }
  }

  @Test func aFinishedDocumentIsContinued() throws {
    let storage = CrashingStorage()
    var document = try GPXDocument.create(in: storage).get()
    #expect(Self.points(5).withUnsafeBytes { document.append($0) } == 0)
    #expect(document.finish() == 0)
    storage.onMoment = { #expect((pointCount($0) ?? -1) >= 5) }
    var next = GPXDocument(storage: storage, seal: document.seal, length: document.length)
    #expect(next.clean() == 0)
    for step in 0..<15 {
      #expect(Self.points(3, from: step).withUnsafeBytes { next.append($0) } == 0)
    }
    #expect(next.finish() == 0)
    #expect(pointCount(storage.current) == 50)
  }

  @Test func aFullDiskLeavesAValidDocumentThatGoesOnWhenThereIsRoom() throws {
    let storage = CrashingStorage()
    var document = try GPXDocument.create(in: storage).get()
    storage.onMoment = { #expect(pointCount($0) != nil) }
    storage.room = 8192
    var written = 0
    while Self.points(1, from: written).withUnsafeBytes({ document.append($0) }) == 0 {
      written += 1
    }
    #expect(written > 3)
    #expect(pointCount(storage.current) == written)
    #expect(storage.current.count <= 8192)
    storage.room = .max
    for _ in 0..<20 {
      #expect(Self.points(1, from: written).withUnsafeBytes { document.append($0) } == 0)
      written += 1
    }
    storage.failsWith = EIO
    #expect(Self.points(1).withUnsafeBytes { document.append($0) } == EIO)
    storage.failsWith = 0
    #expect(document.finish() == 0)
    #expect(pointCount(storage.current) == written)
  }
}
