import Platform
public import SystemPackage

/// The reason why a recording cannot be played, or not to its end.
public struct ReplayError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem with the input.
  public enum Reason: Sendable, Hashable {
    /// There is no such file.
    case notFound
    /// It cannot be opened.
    case notReadable(Errno)
    /// It is a directory.
    case isDirectory
    /// It has no bytes.
    case empty
    /// It is compressed, but not by gzip; the named tool decompresses it to standard output.
    case compressed(decompressor: String)
    /// It is gzipped, and its data are damaged or end too early; the text says how.
    case badGzip(String)
    /// It ended without one NMEA sentence.
    case noSentences
    /// It is text in an unsupported encoding, such as UTF-16; the name is iconv's.
    case encoding(String)
    /// It cannot be repeated, because it cannot be read twice.
    case notRepeatable
    /// Reading stopped early, or could not begin because no thread or descriptor was left.
    case readFailed(Errno)
    /// A strict replay came to bad lines: all of a recording's, up to ten, or the first of a stream.
    case badLines([LineProblem])
  }

  /// The path, or `standard input`.
  public var input: String
  /// The problem with the input.
  public var reason: Reason

  /// Creates an error.
  public init(input: String, reason: Reason) {
    self.input = input
    self.reason = reason
  }

  /// The input and the problem, in one line.
  public var description: String {
    switch reason {
    case .notFound: "\(input): no such file"
    case .notReadable(let error): "\(input): cannot be read: \(error)"
    case .isDirectory: "\(input): is a directory; name the recordings in it"
    case .empty: "\(input): is empty"
    case .compressed(let tool): "\(input): is compressed; \(tool) decompresses it"
    case .badGzip(let problem): "\(input): \(problem)"
    case .noSentences: "\(input): holds no NMEA 0183 sentence; is it a recording of a receiver's text output?"
    case .encoding(let name): "\(input): is text in \(name); convert it with iconv -f \(name) -t UTF-8"
    case .notRepeatable: "\(input): cannot be repeated, only files can"
    case .readFailed(let error): "\(input): reading failed: \(error)"
    case .badLines(let problems): "\(input): \(problems.map(\.description).joined(separator: "; "))"
    }
  }
}

extension ReplayError.Reason {
  package init(readingFailed error: any Error) {
    self = (error as? GzipError).map { .badGzip($0.description) } ?? .readFailed(error as? Errno ?? .ioError)
  }
}
