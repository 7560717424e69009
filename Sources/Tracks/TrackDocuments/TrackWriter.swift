public import Records
public import Tracks

/// Turns a track into the bytes of one document: a page, a file that other programs read, a picture.
///
/// Most of a document is written while the track is read; the figures come at the end. Writers are pure: they use no
/// clock and no files.
public protocol TrackWriter: Sendable {
  /// Appends the beginning of the document.
  mutating func begin(to buffer: inout RecordBuffer)
  /// Adds the next event of the track, and appends the part of the document that is complete.
  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer)
  /// Appends the rest of the document.
  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer)
}
