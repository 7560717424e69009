public import Records
public import Tracks

/// Turns a track into the bytes of one document: a page, a file that other programs read, a picture.
///
/// What can be written while the track goes by is; the figures come at the end. Writers are pure: no clock, no files.
public protocol TrackWriter: Sendable {
  /// Appends what the document begins with.
  mutating func begin(to buffer: inout RecordBuffer)
  /// Takes the next event of the track, and appends what can be written by now.
  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer)
  /// Appends the rest of the document.
  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer)
}
