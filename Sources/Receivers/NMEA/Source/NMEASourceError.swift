public import SystemPackage

/// Why a recording cannot be played, or not to its end.
public struct NMEASourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the input.
  public enum Reason: Sendable, Hashable {
    /// There is no such file.
    case notFound
    /// It cannot be opened.
    case notReadable(Errno)
    /// It is a directory.
    case isDirectory
    /// It has no bytes.
    case empty
    /// It is compressed, other than by gzip; the named tool decompresses it to standard output.
    case compressed(decompressor: String)
    /// It is gzipped and the data are damaged or end too early, and how.
    case badGzip(String)
    /// It ended without one NMEA sentence.
    case noSentences
    /// It is text in an encoding that is not read, such as UTF-16; the name is that of iconv.
    case encoding(String)
    /// It cannot be repeated, because it cannot be read twice.
    case notRepeatable
    /// Reading stopped in the middle, or could not begin for want of a thread or a descriptor.
    case readFailed(Errno)
    /// A strict replay came to a bad line.
    case badLine(NMEAProblem)
  }

  /// The path, or `standard input`.
  public var input: String
  /// What is wrong with it.
  public var reason: Reason

  /// Creates an error.
  public init(input: String, reason: Reason) {
    self.input = input
    self.reason = reason
  }

  /// One line for a person: the input and what is wrong with it.
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
    case .badLine(let problem): "\(input): \(problem)"
    }
  }
}
