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
  var limit = 64 << 20
}
