@testable import Records
import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct TimeTests {
  /// The buffer remembers its last day.
  @Test func timesAreISO8601InUTC() {
    var buffer = RecordBuffer()
    for (seconds, expected) in [
      (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
      (1_709_164_800, "2024-02-29T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
      (1_708_760_163.9994, "2024-02-24T07:36:03.999Z"), (1_708_760_163.9996, "2024-02-24T07:36:04.000Z"),
      (-62_135_596_800, "0001-01-01T00:00:00.000Z"), (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
    ] as [(Double, String)] {
      buffer.removeAll()
      buffer.append(Date(timeIntervalSince1970: seconds))
      let written = buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
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
