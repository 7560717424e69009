import Platform
import Records
import Synchronization
import SystemPackage

/// A map in a PMTiles archive of version 3, of pictures or of vector tiles. Tiles are read on request.
final class PMTiles: TileArchive {
  /// A directory has at most 21,845 entries in its first 16 KiB, and a leaf a few thousand; this is far beyond both.
  private static let directoryLimit = 16 << 20
  private static let cacheLimit = 64

  let zoom: ClosedRange<Int>
  let attribution: String?
  var contentType: String { header.contentType }
  private let file: FileDescriptor
  private let header: PMTilesHeader
  private let root: PMTilesDirectory
  private let leaves = Mutex<[UInt64: PMTilesDirectory]>([:])

  init(path: FilePath) throws(TileArchiveError) {
    let file = try FileDescriptor.map(path)
    do throws(TileArchiveError) {
      header = try PMTilesHeader(Self.read(file, .init(offset: 0, length: 127)))
      root = try PMTilesDirectory(Self.contents(file, header.root))
      attribution = Self.attribution(try Self.contents(file, header.metadata))
    } catch {
      try? file.close()
      throw error
    }
    self.file = file
    zoom = Int(header.zoom.lowerBound)...Int(header.zoom.upperBound)
  }

  deinit { try? file.close() }

  func tile(zoom: Int, x: Int, y: Int) throws(TileArchiveError) -> MapTile? {
    guard self.zoom.contains(zoom), let id = Self.id(zoom: zoom, x: x, y: y) else { return nil }
    var directory = root
    // The format has two levels; more would be a cycle.
    for _ in 0..<4 {
      guard let entry = directory.entry(for: id) else { return nil }
      guard entry.runLength == 0 else {
        guard id - entry.tileID < UInt64(entry.runLength) else { return nil }
        guard entry.length <= MapTile.limit else {
          throw TileArchiveError(.damaged, "has a tile of \(entry.length) bytes")
        }
        return MapTile(bytes: try Self.read(file, entry.place(after: header.data.offset)))
      }
      directory = try leaf(entry.place(after: header.leaves.offset))
    }
    throw TileArchiveError(.damaged, "has directories nested without end")
  }

  private func leaf(_ place: PMTilesHeader.Place) throws(TileArchiveError) -> PMTilesDirectory {
    if let known = leaves.withLock({ $0[place.offset] }) { return known }
    let leaf = try PMTilesDirectory(Self.contents(file, place))
    leaves.withLock { leaves in
      if leaves.count >= Self.cacheLimit { leaves.removeAll() }
      leaves[place.offset] = leaf
    }
    return leaf
  }

  private static func contents(
    _ file: FileDescriptor, _ place: PMTilesHeader.Place
  ) throws(TileArchiveError) -> [UInt8] {
    guard place.length <= directoryLimit else {
      throw TileArchiveError(.damaged, "has a directory of \(place.length) bytes")
    }
    let bytes = try read(file, place)
    guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
    var contents: [UInt8] = []
    do {
      let gunzip = try Gunzip()
      try bytes.withUnsafeBufferPointer { bytes in
        try gunzip.decompress(bytes) { piece in
          guard contents.count + piece.count <= directoryLimit else { throw GzipError.noMemory }
          contents += piece
        }
      }
      try gunzip.finish()
    } catch {
      throw TileArchiveError(.damaged, "has a directory that cannot be read: \(error)")
    }
    return contents
  }

  private static func read(_ file: FileDescriptor, _ place: PMTilesHeader.Place) throws(TileArchiveError) -> [UInt8] {
    let count = Int(place.length)
    var filled = 0
    guard place.offset <= UInt64(Int64.max) - place.length else { throw TileArchiveError(.damaged, "ends too early") }
    do {
      let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        defer { length = filled }
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let read = try file.read(fromAbsoluteOffset: Int64(place.offset) + Int64(filled), into: rest)
          if read == 0 { break }
          filled += read
        }
      }
      guard filled == count else { throw TileArchiveError(.damaged, "ends too early") }
      return bytes
    } catch let error as TileArchiveError {
      throw error
    } catch {
      throw TileArchiveError(.cannotRead, "\(error)")
    }
  }

  private static func attribution(_ metadata: [UInt8]) -> String? {
    var text: String?
    try? JSONReader.forEachMember(of: metadata) { key, value in
      if case .string(let bytes) = value, key.equals("attribution") { text = JSONReader.text(bytes) }
    }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A tile's number: along Hilbert's curve within its zoom level, after all levels above; `nil` for a tile that does
  /// not exist.
  static func id(zoom: Int, x: Int, y: Int) -> UInt64? {
    guard (0...31).contains(zoom), case let side = 1 << zoom, (0..<side).contains(x), (0..<side).contains(y) else {
      return nil
    }
    var number = UInt64(0)
    for level in 0..<zoom { number += 1 << UInt64(2 * level) }
    var (x, y) = (UInt64(x), UInt64(y))
    var half = UInt64(side) / 2
    while half > 0 {
      let (right, up) = (x & half != 0, y & half != 0)
      number += half * half * (right ? (up ? 2 : 3) : (up ? 1 : 0))
      if !up {
        if right {
          x = half &- 1 &- x
          y = half &- 1 &- y
        }
        (x, y) = (y, x)
      }
      x &= half - 1
      y &= half - 1
      half /= 2
    }
    return number
  }
}
