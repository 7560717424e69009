import FoundationEssentials
import Gzip
import Platform
import Records
import Synchronization
public import SystemPackage

/// A raster map in a PMTiles archive of version 3. Tiles are read on request.
public final class PMTiles: Sendable {
  struct Tile: Sendable, Equatable {
    var bytes: [UInt8]
    var contentType: String
    /// Whether the bytes are also compressed by gzip.
    var isGzipped: Bool
  }

  private static let headerSize = 127
  /// A directory has at most 21,845 entries in its first 16 KiB, and a leaf a few thousand; this is far beyond both.
  private static let directoryLimit = 16 << 20
  private static let tileLimit = 8 << 20
  private static let cacheLimit = 64

  /// The file's path.
  public let path: FilePath
  let zoom: ClosedRange<Int>
  /// The attribution on the map, from the file.
  let attribution: String?
  private let file: FileDescriptor
  private let header: PMTilesHeader
  private let root: PMTilesDirectory
  private let leaves = Mutex<[UInt64: PMTilesDirectory]>([:])

  /// Opens an archive and reads its root directory.
  ///
  /// - Throws: `PMTilesError` if the file is missing, damaged or not a raster map.
  public init(path: FilePath) throws(PMTilesError) {
    self.path = path
    let file: FileDescriptor
    do {
      // Opening a pipe would block.
      file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw PMTilesError(.cannotRead, "\(error)")
    }
    do throws(PMTilesError) {
      guard file.isRegularFile else { throw PMTilesError(.cannotRead, "is not a regular file") }
      (header, root, attribution) = try Self.start(file)
    } catch {
      try? file.close()
      throw error
    }
    self.file = file
    zoom = Int(header.zoom.lowerBound)...Int(header.zoom.upperBound)
  }

  deinit {
    try? file.close()
  }

  private static func start(_ file: FileDescriptor) throws(PMTilesError) -> (PMTilesHeader, PMTilesDirectory, String?) {
    guard let size = try? file.seek(offset: 0, from: .end) else {
      throw PMTilesError(.cannotRead, "cannot be read at arbitrary positions")
    }
    let bytes = try read(file, at: 0, count: min(headerSize, Int(size)))
    let header = try PMTilesHeader(bytes, fileSize: UInt64(size))
    let root = try directory(file, header.root, header)
    var metadata = [UInt8]()
    if header.metadata.length > 0 { metadata = try contents(file, header.metadata, header) }
    return (header, root, attribution(metadata))
  }

  /// The tile, or `nil` if the archive does not have it. It reads from the disk; any thread may call it.
  func tile(zoom: Int, x: Int, y: Int) throws(PMTilesError) -> Tile? {
    guard self.zoom.contains(zoom), let id = Self.id(zoom: zoom, x: x, y: y) else { return nil }
    var directory = root
    // The format has two levels; more would be a cycle.
    for _ in 0..<4 {
      guard let entry = directory.entry(for: id) else { return nil }
      guard entry.runLength == 0 else {
        guard id - entry.tileID < UInt64(entry.runLength) else { return nil }
        let place = try header.data.part(entry.offset, UInt64(entry.length))
        guard place.length <= Self.tileLimit else {
          throw PMTilesError(.damaged, "has a tile of \(place.length) bytes")
        }
        let bytes = try Self.read(file, at: place.offset, count: Int(place.length))
        return Tile(bytes: bytes, contentType: header.contentType, isGzipped: header.tilesAreGzipped)
      }
      let place = try header.leaves.part(entry.offset, UInt64(entry.length))
      directory = try leaf(place)
    }
    throw PMTilesError(.damaged, "has directories nested without end")
  }

  private func leaf(_ place: PMTilesHeader.Place) throws(PMTilesError) -> PMTilesDirectory {
    if let known = leaves.withLock({ $0[place.offset] }) { return known }
    let leaf = try Self.directory(file, place, header)
    leaves.withLock { leaves in
      if leaves.count >= Self.cacheLimit { leaves.removeAll() }
      leaves[place.offset] = leaf
    }
    return leaf
  }

  private static func directory(
    _ file: FileDescriptor, _ place: PMTilesHeader.Place, _ header: PMTilesHeader
  ) throws(PMTilesError) -> PMTilesDirectory {
    try PMTilesDirectory(contents(file, place, header))
  }

  /// The bytes of a directory or of the metadata, decompressed.
  private static func contents(
    _ file: FileDescriptor, _ place: PMTilesHeader.Place, _ header: PMTilesHeader
  ) throws(PMTilesError) -> [UInt8] {
    guard place.length <= directoryLimit else {
      throw PMTilesError(.damaged, "has a directory of \(place.length) bytes")
    }
    let bytes = try read(file, at: place.offset, count: Int(place.length))
    guard header.isGzipped else { return bytes }
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
      throw PMTilesError(.damaged, "has a directory that cannot be read: \(error)")
    }
    return contents
  }

  private static func read(
    _ file: FileDescriptor, at offset: UInt64, count: Int
  ) throws(PMTilesError) -> [UInt8] {
    var filled = 0
    do {
      let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
        defer { length = filled }
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let read = try file.read(fromAbsoluteOffset: Int64(offset) + Int64(filled), into: rest)
          if read == 0 { break }
          filled += read
        }
      }
      guard filled == count else { throw PMTilesError(.damaged, "ends too early") }
      return bytes
    } catch let error as PMTilesError {
      throw error
    } catch {
      throw PMTilesError(.cannotRead, "\(error)")
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

/// Why a PMTiles archive cannot be used.
public struct PMTilesError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public enum Code: Sendable, Hashable {
    /// The system cannot open or read the file.
    case cannotRead
    /// The contents of the file are invalid.
    case damaged
  }

  /// The kind of reason.
  public var code: Code
  /// The rest of a sentence that begins with the path.
  public var description: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    description = reason + (code == .cannotRead ? "" : "; name a raster map in PMTiles version 3")
  }
}
