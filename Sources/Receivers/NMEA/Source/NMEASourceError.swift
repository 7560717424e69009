/// Why a recording cannot be played, or not to its end.
public struct NMEASourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the input.
  public enum Reason: Sendable, Hashable {
    /// There is no such file.
    case notFound
    /// It cannot be opened or read; the operating system's words.
    case notReadable(String)
    /// It is a directory.
    case isDirectory
    /// It has no bytes.
    case empty
    /// It is compressed, by the named tool.
    case compressed(decompressor: String)
    /// It ended without one NMEA sentence.
    case noSentences
    /// It cannot be repeated, because it cannot be read twice.
    case notRepeatable
    /// Reading stopped in the middle; the operating system's words.
    case readFailed(String)
    /// A strict replay met a bad line.
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

  /// The status with which a program should end, by sysexits: 66 no input, 65 bad data, 64 usage, 74 input or
  /// output error.
  public var exitStatus: Int32 {
    switch reason {
    case .notFound, .notReadable, .isDirectory, .empty: 66
    case .compressed, .noSentences, .badLine: 65
    case .notRepeatable: 64
    case .readFailed: 74
    }
  }

  var isReadFailure: Bool {
    if case .readFailed = reason { true } else { false }
  }

  /// One line for a person: the input, the place, the mend.
  public var description: String {
    switch reason {
    case .notFound: "\(input): no such file"
    case .notReadable(let words): "\(input): cannot be read: \(words)"
    case .isDirectory: "\(input): is a directory; name the recordings in it"
    case .empty: "\(input): is empty"
    case .compressed(let tool): "\(input): is compressed; try: \(tool) \(input) | rxlocationd replay -"
    case .noSentences: "\(input): holds no NMEA 0183 sentence; is it a recording of a receiver's text output?"
    case .notRepeatable: "\(input): cannot be repeated, only files can"
    case .readFailed(let words): "\(input): reading failed: \(words)"
    case .badLine(let problem): "\(input): \(problem)"
    }
  }
}
