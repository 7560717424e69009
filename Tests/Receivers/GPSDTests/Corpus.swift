import Foundation

/// Recordings of real receivers beside the package, when they are there.
enum Corpus {
  /// Where they are.
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../../shared/corpus/nmea").standardizedFileURL

  /// Their names.
  static let recordings = ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
    .filter { $0.hasSuffix(".log") }.sorted()
}
