import Glibc
import SystemPackage

/// The words of the command line. A file's name is bytes on Linux, and the argument parser knows texts only.
///
/// A word that is not UTF-8 has U+10FF80 to U+10FFFF, characters for private use, in place of its bytes 0x80 to 0xFF;
/// `FilePath(argument:)` puts the bytes back.
enum Arguments {
  /// What stands behind the program's name.
  static let ofThisProcess: [String] = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
    CommandLine.unsafeArgv[index].map { text(of: UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  static func text(of bytes: some Collection<UInt8>) -> String {
    // A name that has such a character itself is written in stand-ins, too, so that no two names become the same.
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

  /// Whether a word is what was typed.
  static func isText(_ word: String) -> Bool { !word.unicodeScalars.contains(where: isStandIn) }

  private static let firstStandIn: UInt32 = 0x10FF00

  private static func isStandIn(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= firstStandIn + 0x80 }
}

extension FilePath {
  /// Reads a word of the command line.
  init(argument: String) {
    let name = Arguments.bytes(of: argument).map { CInterop.PlatformChar(bitPattern: $0) } + [0]
    self = name.withUnsafeBufferPointer { $0.baseAddress.map { FilePath(platformString: $0) } ?? FilePath() }
  }
}
