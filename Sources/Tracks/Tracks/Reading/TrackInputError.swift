public import SystemPackage

/// Why an input was not read, or not to its end. Records before the problem are not affected.
public struct TrackInputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of problems of an input.
  public enum Reason: Error, Sendable, Hashable {
    /// There is no such file.
    case notFound
    /// It cannot be opened.
    case notReadable(Errno)
    /// It is a directory.
    case isDirectory
    /// It has no bytes.
    case empty
    /// Its kind is not supported.
    case unknownKind
    /// Its kind is known but not supported; the words follow the input's name and say what to do.
    case otherKind(String)
    /// Its kind is right, but it has no fix.
    case noFixes
    /// Reading stopped in the middle.
    case readFailed(Errno)
    /// The gzip data are damaged, or end too early.
    case badGzip(String)
    /// The file is not read beyond this line, for this reason.
    case badLine(Int, String)
    /// It is text in an unsupported encoding, such as UTF-16; the name is that of iconv.
    case encoding(String)
    /// It was read to its end, and some of its records or values were skipped.
    case skippedRecords
  }

  static let gpsd = "is gpsd's JSON without the times of arrival, which is not read; record with gpspipe -w -uu"

  /// The path, or `standard input`.
  public var input: String
  /// The problem of the input.
  public var reason: Reason
  /// The records that were skipped, whatever the reason.
  public var skipped: SkippedRecords

  /// Creates an error.
  public init(input: String, reason: Reason, skipped: SkippedRecords = SkippedRecords()) {
    (self.input, self.reason, self.skipped) = (input, reason, skipped)
  }

  /// One line for a person: the input, the line if there is one, and the problem.
  public var description: String {
    guard let group = skipped.groups.first else { return cause }
    let first = "line \(group.first.line) \(group.first.problem)"
    let skipping = "skipped \(skipped.words); \(first)"
    return reason == .skippedRecords ? "\(input): \(skipping)" : "\(cause); \(skipping)"
  }

  private var cause: String {
    switch reason {
    case .notFound: "\(input): no such file"
    case .notReadable(let error): "\(input): cannot be read: \(error)"
    case .isDirectory: "\(input): is a directory; name the recordings in it"
    case .empty: "\(input): is empty"
    case .unknownKind:
      "\(input): is neither NMEA 0183 nor a record of gpsd, GPX, KML, GeoJSON, OwnTracks Recorder's lines nor this program's JSON lines or CSV"
    case .otherKind(let words): "\(input): \(words)"
    case .noFixes: "\(input): holds no fix"
    case .readFailed(let error): "\(input): reading failed: \(error)"
    case .badGzip(let problem): "\(input): \(problem)"
    case .badLine(let line, let problem): "\(input):\(line): \(problem)"
    case .encoding(let name): "\(input): is text in \(name); convert it with iconv -f \(name) -t UTF-8"
    case .skippedRecords: "\(input): records were skipped"
    }
  }
}
