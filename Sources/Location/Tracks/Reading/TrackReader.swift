/// Reads recordings as tracks: NMEA 0183, this program's JSON lines, GPX 1.0 and 1.1, each also gzipped. The kind is
/// recognised by the content.
public enum TrackReader {
  /// Reads one input to its end, on the calling thread.
  ///
  /// - Parameters:
  ///   - input: What to read. Several make one track when they are read in a row with a `.gap` between them.
  ///   - progress: Counts the bytes, and can end the reading early.
  ///   - body: Called for each event, in order, before the call returns or throws.
  /// - Throws: Why it was not read, or not to its end; the body has had everything good before that.
  public static func read(
    _ input: TrackInput, progress: TrackProgress? = nil, _ body: (TrackEvent) -> Void
  ) throws(TrackInputError) {
    throw TrackInputError(input: input.name, reason: .unknownKind)
  }
}
