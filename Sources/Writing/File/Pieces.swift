import FoundationEssentials
import Glibc
import Platform
import SystemPackage

/// The older pieces of a file of lines. When the file has an eighth of the limit, it becomes a numbered piece,
/// `PATH.000001`, which is compressed in small steps beside the writing, to `PATH.000001.gz`. The oldest pieces are
/// removed.
///
/// A piece that was not compressed to its end is compressed again.
struct Pieces {
  private struct Piece {
    var number: Int
    var size: Int
    var isCompressed: Bool
  }

  private final class Compression {
    let number: Int
    let input: FileDescriptor
    let output: FileDescriptor
    let stream: GzipStream
    var written = 0

    init(_ number: Int, of plain: String) throws {
      self.number = number
      stream = try GzipStream()
      input = try FileDescriptor.open(plain, .readOnly, options: .closeOnExec)
      do {
        output = try FileDescriptor.open(
          plain + ".gz.part", .writeOnly, options: [.create, .truncate, .closeOnExec],
          permissions: [.ownerReadWrite, .groupRead])
      } catch {
        try? input.close()
        throw error
      }
    }

    deinit {
      try? input.close()
      try? output.close()
    }
  }

  private static let stepSize = 256 << 10

  private let path: String
  /// The limit of all pieces together with the file, in bytes.
  private let limit: Int
  /// Oldest first.
  private var pieces: [Piece]
  private var compression: Compression?

  /// The pieces on the disk. Removes what a crash has left half done.
  init(of path: String, limit: Int) {
    (self.path, self.limit) = (path, limit)
    var found: [Int: Piece] = [:]
    for (number, suffix) in RecordPieces.numbers(of: path).sorted(by: { $0.suffix > $1.suffix }) {
      let name = RecordPieces.name(path, number)
      // A compressed piece is whole. A plain one beside it had not been removed yet.
      if suffix == ".gz.part" || found[number] != nil {
        unlink(name + suffix)
      } else {
        let size = (try? Stat(name + suffix))?.size ?? 0
        found[number] = Piece(number: number, size: Int(size), isCompressed: suffix == ".gz")
      }
    }
    pieces = found.values.sorted { $0.number < $1.number }
  }

  var pieceSize: Int { limit / 8 }

  mutating func add(size: Int) throws(Errno) {
    // A piece that is still being compressed delays the writing, which happens only to a flood of lines.
    while compression != nil { compressStep(beside: size) }
    let number = (pieces.last?.number ?? 0) + 1
    guard rename(path, RecordPieces.name(path, number)) == 0 else { throw Errno(rawValue: errno) }
    pieces.append(Piece(number: number, size: size, isCompressed: false))
  }

  mutating func makeRoom(for size: Int) {
    func total() -> Int { pieces.reduce(size + (compression?.written ?? 0)) { $0 + $1.size } }
    while total() > limit, let oldest = pieces.first {
      if compression?.number == oldest.number { abandonCompression() }
      unlink(RecordPieces.name(path, oldest.number) + (oldest.isCompressed ? ".gz" : ""))
      pieces.removeFirst()
    }
  }

  /// Compresses the next bytes of the oldest plain piece beside a file of `size` bytes. A piece that cannot be
  /// compressed now stays plain.
  mutating func compressStep(beside size: Int) {
    guard let index = pieces.firstIndex(where: { !$0.isCompressed }) else { return }
    let plain = RecordPieces.name(path, pieces[index].number)
    do {
      if compression == nil { compression = try Compression(pieces[index].number, of: plain) }
      guard let current = compression else { return }
      var block = [UInt8](repeating: 0, count: Self.stepSize)
      let count = try block.withUnsafeMutableBytes { try current.input.read(into: $0) }
      block.removeLast(block.count - count)
      let compressed = current.stream.compress(block, isLast: count == 0)
      makeRoom(for: size + compressed.count)
      guard compression != nil else { return }
      try compressed.withUnsafeBytes { _ = try current.output.writeAll($0) }
      compression?.written += compressed.count
      if count == 0 { try endCompression(of: plain) }
    } catch {
      abandonCompression()
      // Compressing is tried again with the next write, unless another program has removed the piece.
      if access(plain, F_OK) != 0 { pieces.removeAll { RecordPieces.name(path, $0.number) == plain } }
    }
  }

  private mutating func endCompression(of plain: String) throws {
    guard let done = compression, let index = pieces.firstIndex(where: { $0.number == done.number }) else { return }
    // The piece is removed, so its compressed form has to be on the disk.
    guard fsync(done.output.rawValue) == 0, rename(plain + ".gz.part", plain + ".gz") == 0 else {
      throw Errno(rawValue: errno)
    }
    unlink(plain)
    (pieces[index].size, pieces[index].isCompressed) = (done.written, true)
    compression = nil
  }

  mutating func abandonCompression() {
    guard let current = compression else { return }
    unlink(RecordPieces.name(path, current.number) + ".gz.part")
    compression = nil
  }
}

package enum RecordPieces {
  /// The files of a record, oldest first: its pieces, `PATH.000001.gz` and so on, plain ones included, and `PATH`.
  package static func files(of record: String) -> [String] {
    let found = numbers(of: record).filter { $0.suffix != ".gz.part" }.sorted { $0 < $1 }
    // A piece that has just been compressed is there twice for a moment.
    let pieces = found.filter { piece in piece.suffix == ".gz" || !found.contains { $0 == (piece.number, ".gz") } }
    return pieces.map { name(record, $0.number) + $0.suffix } + [record]
  }

  /// `files`, and the older pieces of each record of which no piece is named.
  package static func completed(_ files: [String]) -> [String] {
    files.flatMap { file in
      let all = Self.files(of: file)
      return all.contains { $0 != file && files.contains($0) } ? [file] : all
    }
  }

  /// The names of pieces that are not among `files`, between others of the same record that are.
  package static func missing(in files: [String]) -> [String] {
    var missing: [String] = []
    for (file, next) in zip(files, files.dropFirst()) {
      guard let (record, number) = split(file) else { continue }
      let end =
        if let (other, end) = split(next), other == record { end } else if next == record {
          (numbers(of: record).filter { $0.suffix != ".gz.part" }.map(\.number).max() ?? 0) + 1
        } else { 0 }
      missing += (number + 1..<max(end, number + 1)).map { name(record, $0) }
    }
    return missing
  }

  private static func split(_ file: String) -> (record: String, number: Int)? {
    let name = file.hasSuffix(".gz") ? file.dropLast(3) : file[...]
    guard let dot = name.lastIndex(of: "."), let number = Self.number(name[dot...].dropFirst()) else { return nil }
    return (String(name[..<dot]), number)
  }

  private static func number(_ digits: Substring) -> Int? {
    (6...12).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
  }

  static func name(_ path: String, _ number: Int) -> String {
    let digits = String(number)
    return path + "." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The numbers of the pieces in the record's folder, with the ends of their names: "", ".gz", ".gz.part".
  static func numbers(of path: String) -> [(number: Int, suffix: String)] {
    guard let beginning = FilePath(path).lastComponent.map({ $0.string + "." }) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: path))) ?? []
    return names.compactMap { name in
      guard name.hasPrefix(beginning) else { return nil }
      let rest = name.dropFirst(beginning.count)
      let digits = rest.prefix { $0 != "." }
      let suffix = String(rest.dropFirst(digits.count))
      return ["", ".gz", ".gz.part"].contains(suffix) ? number(digits).map { ($0, suffix) } : nil
    }
  }
}
