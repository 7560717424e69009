import ArgumentParser

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
  var givenLimit: Int?
  var limit: Int { givenLimit ?? 64 << 20 }

  func check() throws(SettingError) {
    if path == nil { try SettingError.refuse(["record-limit": givenLimit != nil], for: "a record", without: "record") }
  }
}
