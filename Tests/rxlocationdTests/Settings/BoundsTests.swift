import Foundation
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct BoundsTests {
  /// A bound: how a text is read, what it takes and what it does not.
  struct Row<Value: Sendable>: Sendable {
    var read: @Sendable (String) -> Value?
    var good: [String]
    var bad: [String]
  }

  @Test func takesAModeUpTo777() {
    #expect(["777", "0", "640"].map { try? Bounds.mode($0) } == [0o777, 0, 0o640])
  }

  @Test(
    arguments: [
      Row(read: { try? Bounds.span($0) }, good: ["1", "40000000"], bad: ["0.999", "40000000.1"]),
      Row(read: { try? Bounds.distanceFilter($0) }, good: ["0", "40000000"], bad: ["-0.1", "40000001"]),
      Row(read: { try? Bounds.accuracy($0) }, good: ["0.001", "40000000"], bad: ["0", "0.0009", "40000001"]),
      Row(read: { try? Bounds.hold($0) }, good: ["1", "10000"], bad: ["0.9", "10001"]),
      Row(read: { try? Bounds.staleAfter($0) }, good: ["0.1", "86400"], bad: ["0.09", "86400.1"]),
      Row(read: { try? Bounds.fenceMemory($0) }, good: ["0", "315360000"], bad: ["-1", "315360001"]),
      Row(read: { try? Bounds.publishingTime($0) }, good: ["0.1", "86400"], bad: ["0.09", "86401"]),
      Row(read: { try? Bounds.stopAfter($0) }, good: ["1", "86400"], bad: ["0.9", "86401"]),
      Row(read: { try? Bounds.stopWithin($0) }, good: ["0", "100000"], bad: ["-1", "100001"]),
      Row(read: { try? Bounds.maximumSpeed($0) }, good: ["0.1", "10000"], bad: ["0.09", "10001"]),
      Row(read: { try? Bounds.simplify($0) }, good: ["0", "100000"], bad: ["-1", "100001"]),
    ])
  func takesNumbersUpToTheirLimits(row: Row<Double>) {
    for text in row.good { #expect(row.read(text) == Double(text)) }
    for text in row.bad + ["0x10", "nan", "inf", "1e400", "10m", "", " 1", "1 "] {
      #expect(row.read(text) == nil, "\(text)")
    }
  }

  @Test func takesSizesOfAJournalUpToTheirLimits() {
    let sizes = ["1M", "1024K", "1048576", "1024G"].map { try? Bounds.journalLimit($0) }
    #expect(sizes == [1 << 20, 1 << 20, 1 << 20, 1 << 40])
  }

  @Test(
    arguments: [
      Row(read: { try? Bounds.mode($0) }, good: ["0"], bad: ["1000", "778", "8", "-1", "+7", "0x7", "", "7 "]),
      Row(
        read: { try? Bounds.journalLimit($0) }, good: ["1M"],
        bad: [
          "1048575", "1023K", "1025G", "0", "-1M", "M", "", "1T", "1m", "1.5M", "0x10M", "99999999999999999999G",
        ]),
      Row(
        read: { try? Bounds.readerLimit($0) }, good: ["1", "100000"], bad: ["0", "100001", "-1", "1.5", "0x10", ""]),
      // Bytes count, not characters.
      Row(
        read: { try? Bounds.topic($0) }, good: [String(repeating: "a", count: 60_000)],
        bad: [
          String(repeating: "a", count: 60_001), String(repeating: "ä", count: 30_001), "", "/a", "a/", "a/+/b", "a/#",
          "a\0b",
        ]),
      Row(read: { try? Bounds.trackerID($0) }, good: ["a", "ab", "ää"], bad: ["", "abc", Arguments.text(of: [0xFF])]),
      Row(
        read: { try? Bounds.hostName($0) }, good: ["gps.example.org", "a_b", "!~"],
        bad: ["", "a b", "a:1", "a/b", "a@b", "[a", "ä", "a\u{7F}", "a\t"]),
      Row(read: { try? Bounds.path($0) }, good: ["-"], bad: ["", Arguments.text(of: [0xFF])]),
      Row(read: { try? Bounds.file($0) }, good: ["-", Arguments.text(of: [0xFF])], bad: [""]),
      Row(read: { try? JournalPlace(parsing: $0) }, good: ["./-"], bad: ["", "-"]),
      Row(
        read: { try? Bounds.time($0) }, good: ["2024-02-29"],
        bad: [
          "2026-02-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-05-06T24:00:00Z", "2026-05-06T12:60:00Z",
          "yesterday", "", "2026-05-06T", "2026-5-6", "2026-05-06T18:30:00Zx",
        ]),
    ] as [Row<any Sendable>])
  func takesWhatIsValid(row: Row<any Sendable>) {
    for text in row.good { #expect(row.read(text) != nil, "\(text.prefix(99))") }
    for text in row.bad { #expect(row.read(text) == nil, "\(text.prefix(99))") }
  }

  /// It would ring the terminal's bell, or worse.
  @Test func aMessageHasNoControlCharacterOfItsCause() {
    let topic = #expect(throws: SettingError.self) { try Bounds.topic("a\u{7}b") }
    let name = #expect(throws: SettingError.self) { try Bounds.publishingName("a\u{7}b") }
    for error in [topic, name] { #expect(error?.description.contains("'a\u{FFFD}b'") == true) }
  }

  @Test(arguments: [
    ("2026-05-06", 1_778_025_600.0), ("2026-05-06T18:30:00Z", 1_778_092_200),
    ("2026-05-06T18:30:00+02:00", 1_778_085_000),
    ("2024-02-29", 1_709_164_800), ("2026-05-06T23:59:59.5Z", 1_778_111_999.5),
  ])
  func takesTimes(text: String, seconds: Double) throws {
    #expect(try Bounds.time(text).timeIntervalSince1970 == seconds)
  }
}
