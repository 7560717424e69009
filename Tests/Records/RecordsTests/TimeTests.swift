@testable import Records
import Foundation
import TestSupport
import Testing

@Suite struct TimeTests {
  private static let reference: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    // Gregorian before 1582 too, as ISO 8601 has it.
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    formatter.calendar = calendar
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"
    return formatter
  }()

  @Test func timesAreISO8601InUTC() {
    for (seconds, expected) in [
      (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (1_709_164_800, "2024-02-29T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
      (1_708_760_163.9994, "2024-02-24T07:36:03.999Z"), (1_708_760_163.9996, "2024-02-24T07:36:04.000Z"),
      (-62_135_596_800, "0001-01-01T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
    ] as [(Double, String)] {
      #expect(text { $0.append(Date(timeIntervalSince1970: seconds)) } == expected)
    }
  }

  @Test func everyDayIsTheCalendars() {
    var random = SplitMix(state: 3)
    var buffer = RecordBuffer()
    // Whole milliseconds, so that both round alike.
    for day in [Int](stride(from: -20_000, through: 60_000, by: 7)) + stride(from: 60_000, through: -20_000, by: -700) {
      let milliseconds = day * 86_400_000 + Int.random(in: 0..<86_400_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      buffer.removeAll()
      buffer.append(date)
      let written = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      let expected = Self.reference.string(from: date.addingTimeInterval(0.0001))
      #expect(written == expected)
    }
  }

  /// The reader remembers its last day.
  @Test func theSameDayOfAnotherYearIsAnotherDay() {
    var reader = TimestampReader()
    let found = ["2023-05-01", "2024-05-01", "2024-06-01", "2024-06-02", "2024-06-02"].map { text in
      Array(text.utf8).withUnsafeBufferPointer { reader.read($0)?.timeIntervalSince1970 }
    }
    #expect(found == [1_682_899_200, 1_714_521_600, 1_717_200_000, 1_717_286_400, 1_717_286_400])
  }

  /// A leap second counts as the second after it.
  @Test(arguments: [(59, 0.0), (60, 1), (61, nil)] as [(Int, Double?)])
  func leapSecondsAreRead(second: Int, after: Double?) {
    let time = Date(timestamp: "2016-12-31T23:59:\(second)Z")?.timeIntervalSince1970
    #expect(time == after.map { 1_483_228_799 + $0 })
  }

  @Test(arguments: [Double.nan, .infinity, -1e300, 1e300, -62_135_596_801, 253_402_300_800])
  func timesOutsideFourDigitsAreNotWritten(_ seconds: Double) {
    #expect(text { $0.append(Date(timeIntervalSince1970: seconds)) } == "")
  }
}
