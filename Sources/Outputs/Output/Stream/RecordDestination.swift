/// Where a stream's bytes go in the end. A stream calls it on its own thread only, one call at a time.
protocol RecordDestination: AnyObject {
  /// What notices call it: "standard output", "region log /var/log/…".
  var name: String { get }

  /// Writes some of `bytes`, which are whole records but may begin within one that was written in part before.
  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome

  /// Waits at most `milliseconds` until a busy destination can be written again.
  func waitUntilWritable(milliseconds: Int32)

  /// Closes and opens again by name. Returns what is wrong when that fails; the old one then stays in use.
  func reopen() -> OutputError?

  /// Everything was written, or given up: ends and closes. Returns what is wrong when the end cannot be written.
  func close() -> Int32?
}

/// What became of a write.
enum WriteOutcome: Equatable {
  /// This many bytes need not be written again.
  case wrote(Int)
  /// Nothing can be written just now: the reader is slow.
  case busy
  /// Nobody reads any more.
  case ended
  /// The system's error number.
  case failed(Int32)
}
