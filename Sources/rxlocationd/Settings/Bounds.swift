import Logging
import Platform
import Publishing
import SystemPackage

enum Bounds {
  /// Metres; the map cannot show more than the earth's circumference.
  static let span = number(in: 1...40_000_000, unit: "metres")
  /// Metres; 0 reports every fix.
  static let distanceFilter = number(in: 0...40_000_000, unit: "metres")
  /// Metres; less than a metre is noise at any receiver.
  static let hold = number(in: 1...10_000, unit: "metres")
  static let accuracy = number(in: 0.001...40_000_000, unit: "metres")

  static func publishingName(_ text: String) throws(SettingError) -> String {
    guard Arguments.isText(text) else { throw SettingError("the name is not UTF-8, which MQTT asks for") }
    guard !text.isEmpty, MQTTText.isValid(text) else {
      throw SettingError(
        "'\(printable(text))' is not a name for a broker; MQTT does not allow control characters or an empty name")
    }
    return text
  }

  /// The text for a message, without control characters that could affect a terminal.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { MQTTText.isValid(String($0)) ? $0 : "\u{FFFD}" }))
  }

  static let staleAfter = number(in: 0.1...86_400, unit: "seconds")
  /// Seconds, up to ten years; 0 forgets fences at once.
  static let fenceMemory = number(in: 0...315_360_000, unit: "seconds")

  static let journalLimit = size(of: "journal")
  static let recordLimit = size(of: "record")

  /// Parses bytes: a whole number, in kibibytes, mebibytes or gibibytes if K, M or G follows.
  static func size(of thing: String) -> @Sendable (String) throws(SettingError) -> Int {
    { text throws(SettingError) in
      guard let bytes = bytes(text) else {
        throw SettingError("'\(text)' is not a size of a \(thing); expected 1M to 1024G, such as 512M")
      }
      return bytes
    }
  }

  private static func bytes(_ text: String) -> Int? {
    let shift: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let unit = text.last.flatMap { shift[$0] }
    let limits = 1 << 20...1 << 40
    guard let number = Int(unit == nil ? text[...] : text.dropLast()), number > 0,
      case let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << (unit ?? 0)), !overflows,
      limits.contains(bytes)
    else { return nil }
    return bytes
  }

  /// A file to write, whose name must be valid text.
  static func path(_ text: String) throws(SettingError) -> String {
    guard !text.isEmpty else { throw noName }
    guard Arguments.isText(text) else { throw SettingError("the name of the file is not UTF-8") }
    return text
  }

  static func file(_ text: String) throws(SettingError) -> FilePath {
    guard !text.isEmpty else { throw noName }
    return FilePath(argument: text)
  }

  private static let noName = SettingError("the name of the file is empty")

  static func hostName(_ text: String) throws(SettingError) -> String {
    let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !text.contains { "/:@[]".contains($0) }
    guard !text.isEmpty, isName else {
      throw SettingError("'\(text)' is not the name of a host; expected one such as gps.example.org, without a port")
    }
    return text
  }

  static func topic(_ text: String) throws(SettingError) -> String {
    // Subtopics need a few more bytes within MQTT's 16-bit length.
    guard !text.isEmpty, text.utf8.count <= 60_000, !text.contains("+"), !text.contains("#"), !text.contains("\0"),
      !text.hasPrefix("/"), !text.hasSuffix("/"), Arguments.isText(text)
    else {
      throw SettingError(
        "\(MQTTText.quoted(text)) is not a topic to publish to; expected one such as owntracks/ann/car, without + and #"
      )
    }
    guard MQTTText.isValid(text) else {
      throw SettingError(
        "the topic \(MQTTText.quoted(printable(text))) has a control character, which MQTT does not allow")
    }
    return text
  }

  static let publishingTime = number(in: 0.1...86_400, unit: "seconds")

  /// OwnTracks' tid.
  static func trackerID(_ text: String) throws(SettingError) -> String {
    guard (1...2).contains(text.count), Arguments.isText(text) else {
      throw SettingError("'\(text)' is not a tracker's name; expected one or two characters")
    }
    return text
  }

  static let readerLimit = count(of: "readers", in: 1...100_000)
  static let journalDays = count(of: "days", in: 1...36_500)

  static func mode(_ text: String) throws(SettingError) -> UInt16 {
    // Only digits: `UInt16` would also accept a sign.
    guard text.utf8.allSatisfy({ (0x30...0x37).contains($0) }), let mode = UInt16(text, radix: 8), mode <= 0o777 else {
      throw SettingError("'\(text)' is not a mode; expected octal digits such as 660")
    }
    return mode
  }

  static func logLevel(_ text: String) throws(SettingError) -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw SettingError("'\(text)' is not a level; expected \(levels)")
    }
    return level
  }

  static func count(of things: String, in range: ClosedRange<Int>) -> @Sendable (String) throws(SettingError) -> Int {
    { text throws(SettingError) in
      guard let value = Int(text), range.contains(value) else {
        throw SettingError(
          "'\(text)' is not a number of \(things); expected \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
  }

  static func number(in range: ClosedRange<Double>, unit: String) -> @Sendable (String) throws(SettingError) -> Double {
    let expected = "expected a number of \(unit) from \(range.lowerBound) to \(range.upperBound)"
    return { text throws(SettingError) in
      guard let value = Double(decimal: text) else {
        throw SettingError("'\(text)' is not a number; \(expected), without a unit")
      }
      guard range.contains(value) else { throw SettingError("'\(text)' is out of range; \(expected)") }
      return value
    }
  }
}
