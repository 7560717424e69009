import Glibc
import Platform
import SystemPackage

/// The words of the command line. A file's name is bytes on Linux, but the argument parser supports only text.
///
/// A word that is not UTF-8 has private-use characters, U+10FF80 to U+10FFFF, for its bytes 0x80 to 0xFF.
/// `FilePath(argument:)` restores the bytes.
enum Arguments {
  /// The words after the program's name.
  ///
  /// They come from the kernel. Swift's runtime instead looks before the environment on the stack, and finds no words
  /// when a library that was loaded before has moved the environment, as libfaketime does.
  static let ofThisProcess: [String] = {
    guard let words = try? words(of: contents(of: "/proc/self/cmdline")) else {
      StandardError.write(line: "rxlocationd: the command line cannot be read: there is no /proc/self/cmdline")
      exit(EX_OSERR)
    }
    return Array(words.dropFirst())
  }()

  private static func contents(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    return try file.closeAfter { try file.readToEnd() }
  }

  /// Splits words that end with a zero byte each.
  static func words(of bytes: [UInt8]) -> [String]? {
    guard bytes.last == 0 else { return nil }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map(text)
  }

  static func text(of bytes: some Collection<UInt8>) -> String {
    // A name that contains such a character is also encoded, so that different names stay different.
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isStandIn) {
      return text
    }
    var text = String.UnicodeScalarView()
    for byte in bytes {
      if byte < 0x80 {
        text.append(Unicode.Scalar(byte))
      } else if let standIn = Unicode.Scalar(firstStandIn + UInt32(byte)) {
        text.append(standIn)
      }
    }
    return String(text)
  }

  static func bytes(of text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      isStandIn(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// Joins a negative number with the flag before it: `--span -5` becomes `--span=-5`.
  ///
  /// No short flag begins with a digit, but the parser takes the number for a flag and reports a missing value. With
  /// `=` it reports that the value is out of range.
  static func joiningNegativeNumbers(_ words: [String]) -> [String] {
    var joined: [String] = []
    for (index, word) in words.enumerated() {
      // There are no flags after "--".
      if joined.contains("--") { return joined + words[index...] }
      if isNegativeNumber(word), let flag = joined.last, flag.hasPrefix("--"), !flag.contains("=") {
        joined[joined.count - 1] = "\(flag)=\(word)"
      } else {
        joined.append(word)
      }
    }
    return joined
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    word.hasPrefix("-") && word.utf8.dropFirst().first.map { $0 == 0x2E || (0x30...0x39).contains($0) } == true
  }

  static func isText(_ word: String) -> Bool { !word.unicodeScalars.contains(where: isStandIn) }

  private static let firstStandIn: UInt32 = 0x10FF00

  private static func isStandIn(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= firstStandIn + 0x80 }
}

extension FilePath {
  init(argument: String) {
    let name = Arguments.bytes(of: argument).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
    self = name.withUnsafeBufferPointer { $0.baseAddress.map { FilePath(platformString: $0) } ?? FilePath() }
  }
}

extension [FilePath] {
  /// Refuses `-`, standard input, when the parent process has closed it.
  func checkStandardInput() throws(CommandError) {
    guard contains("-"), !StandardStreams.isReadable(STDIN_FILENO) else { return }
    throw CommandError(.noInput, "standard input is closed, so nothing can be read from it")
  }
}
