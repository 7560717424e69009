import FoundationEssentials
import Platform

extension Date {
  /// The time of a record, in seconds since 1970; `nil` outside the years from 1970 to 2099. Such a time comes from a
  /// clock that was never set, or is in milliseconds.
  package init?(recorded seconds: Double) {
    guard (0..<4_102_444_800).contains(seconds) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }

  /// Reads a time in ISO 8601 such as `2024-02-24T07:36:03Z`; `nil` for a day that does not exist, and for other texts.
  package init?(timestamp text: String) {
    var text = text
    var reader = TimestampReader()
    guard let time = text.withUTF8({ reader.read($0) }) else { return nil }
    self = time
  }
}

/// Reads the times in ISO 8601 that GPX and JSON lines contain: `2024-02-24T07:36:03.250Z`, or with an offset such as
/// `+02:00`. A time without either is in UTC. The seconds may be left out, and a 60th is the first of the next minute.
/// A date alone is midnight in UTC.
package struct TimestampReader: Sendable {
  /// The last date that was read, and its days since 1970, because a track stays on one day for long.
  private var lastDate: (year: Int, month: Int, day: Int) = (0, 0, 0)
  private var lastDays = 0

  package init() {}

  /// The time; `nil` for a text that is not a time, and outside the years from 1970 to 2099.
  package mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
    var scan = Scan(text)
    let isNegative = scan.consume(UInt8(ascii: "-"))
    guard !isNegative, let year = scan.number(4), scan.consume(UInt8(ascii: "-")), let month = scan.number(2),
      scan.consume(UInt8(ascii: "-")), let day = scan.number(2), let days = days(year, month, day)
    else { return nil }
    if scan.isAtEnd { return Date(recorded: Double(days * 86_400)) }
    guard scan.consume(UInt8(ascii: "T")) || scan.consume(UInt8(ascii: "t")) || scan.consume(UInt8(ascii: " ")),
      let hour = scan.number(2), hour < 24, scan.consume(UInt8(ascii: ":")), let minute = scan.number(2), minute < 60
    else { return nil }
    var second = 0
    var fraction = 0.0
    if scan.consume(UInt8(ascii: ":")) {
      guard let number = scan.number(2), number <= 60, let part = scan.fraction() else { return nil }
      (second, fraction) = (number, part)
    }
    guard let offset = scan.offset(), scan.isAtEnd else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Date(recorded: Double(seconds) + fraction)
  }

  private mutating func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    if lastDate == (year, month, day) { return lastDays }
    guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
    lastDate = (year, month, day)
    lastDays = date.daysSince1970
    return lastDays
  }

  private struct Scan {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ text: UnsafeBufferPointer<UInt8>) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func consume(_ byte: UInt8) -> Bool {
      guard rest.first == byte else { return false }
      rest.removeFirst()
      return true
    }

    mutating func number(_ digits: Int) -> Int? {
      var value = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    mutating func fraction() -> Double? {
      guard consume(UInt8(ascii: ".")) || consume(UInt8(ascii: ",")) else { return 0 }
      var (value, scale, count) = (0.0, 1.0, 0)
      while let digit = digit() {
        count += 1
        if count <= 15 { (value, scale) = (value * 10 + Double(digit), scale * 10) }
      }
      return count > 0 ? value / scale : nil
    }

    mutating func offset() -> Int? {
      if isAtEnd || consume(UInt8(ascii: "Z")) || consume(UInt8(ascii: "z")) { return 0 }
      let isWest = consume(UInt8(ascii: "-"))
      guard isWest || consume(UInt8(ascii: "+")), let hours = number(2), hours < 24 else { return nil }
      var minutes = 0
      if !isAtEnd {
        _ = consume(UInt8(ascii: ":"))
        guard let number = number(2), number < 60 else { return nil }
        minutes = number
      }
      return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private mutating func digit() -> Int? {
      guard let byte = rest.first, byte >= 48, byte <= 57 else { return nil }
      rest.removeFirst()
      return Int(byte) - 48
    }
  }
}
