import Foundation

/// Files of the checkout that tests read, and what lies beside it.
public enum Checkout {
  /// The folder of Package.swift.
  public static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// What is shared between checkouts: recordings and schemas that are not the project's. It may be missing.
  public static let shared = root.appending(path: "../shared").standardizedFileURL

  /// Recordings of real receivers, in the order of their names; none where that collection is missing.
  public static let recordings: [URL] = {
    let folder = shared.appending(path: "corpus/nmea")
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "log" }.sorted { $0.path < $1.path }
  }()

  /// The file at a path from the root.
  public static func file(_ path: String) -> URL { root.appending(path: path) }
}
