import ArgumentParser
import FoundationEssentials
import SystemPackage

/// The record of a receiver, for `run` and `doctor`.
struct RecordOptions: ParsableArguments {
  @Option(
    "record", "path",
    "Keep everything that gpsd says in this file, line by line with its time of arrival, for replay, track and monitor.",
    Bounds.path)
  var path: String?

  @Option(
    "record-limit", "size",
    "The greatest size of the record and its older pieces together, with K, M or G; then the oldest are removed. (default: 64M)",
    Bounds.recordLimit)
  var limit = 64 << 20

  /// The files of a record, oldest first: its pieces, PATH.000001.gz and so on, and PATH.
  static func pieces(of record: String) -> [FilePath] {
    let path = FilePath(record)
    let folder = path.removingLastComponent()
    let prefix = (path.lastComponent?.string ?? "") + "."
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder.string)) ?? []
    let pieces = names.filter { name in
      guard name.hasPrefix(prefix) else { return false }
      let rest = name.dropFirst(prefix.count).drop { $0.isNumber }
      // A piece that has just been compressed is there twice for a moment.
      return name.dropFirst(prefix.count) != rest && (rest == ".gz" || rest.isEmpty && !names.contains(name + ".gz"))
    }
    return pieces.sorted().map { folder.appending($0) } + [path]
  }
}
