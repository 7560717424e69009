import Foundation

/// Files of the checkout that tests read, and what lies beside it.
package enum Checkout {
  package static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// What is shared between checkouts: recordings and schemas that are not the project's. It may be missing.
  package static let shared = root.appending(path: "../shared").standardizedFileURL

  /// Recordings of real receivers, in the order of their names; none where that collection is missing.
  package static let recordings: [URL] = {
    let folder = shared.appending(path: "corpus/nmea")
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "log" }.sorted { $0.path < $1.path }
  }()

  package static func file(_ path: String) -> URL { root.appending(path: path) }
}
