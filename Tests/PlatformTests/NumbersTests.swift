import TestSupport
import Testing

@testable import Platform

@Suite(.inTurn) struct NumbersTests {
  @Test(arguments: [(15, "15 s"), (0.25, "0.25 s"), (0.125, "0.13 s"), (0, "0 s"), (1e300, "1e+300 s")])
  func secondsAreWholeOrHaveTwoDecimals(seconds: Double, text: String) { #expect(secondsText(seconds) == text) }

  @Test func oneOfAThingIsCalledOtherwiseThanSeveral() {
    #expect([0, 1, 2].map { counted($0, "record") } == ["0 records", "1 record", "2 records"])
    #expect([0, 1, 2].map { counted($0, "fix is", "fixes are") } == ["0 fixes are", "1 fix is", "2 fixes are"])
  }

  @Test(arguments: [
    (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"), (-86_400, "1969-12-31 00:00:00"),
    (-0.5, "1970-01-01 00:00:00"),
    (1_700_000_000.9, "2023-11-14 22:13:20"), (253_402_300_799, "9999-12-31 23:59:59"),
    (253_402_300_800, "9999-12-31 23:59:59"), (-62_135_596_800, "0001-01-01 00:00:00"),
    (-62_135_596_801, "0001-01-01 00:00:00"), (.infinity, "1970-01-01 00:00:00"), (.nan, "1970-01-01 00:00:00"),
  ])
  func aTimeIsADayAndSeconds(seconds: Double, text: String) {
    let time = CivilTime(secondsSince1970: seconds)
    #expect("\(time.date) \(time.time)" == text)
    #expect(time.time.hasPrefix(time.minutes + ":"))
  }

  @Test(arguments: [
    "0", "-12.5", "+7", "1.2e-3", "1E3", ".5", "5.", "0000000000000000012", "00000000000000000012",
    "0.000000000000000012",
    "1234567890123456789",
    "12345678901234567890",
    "9007199254740991", "9007199254740993", "0.0000000000000000000001", "0.00000000000000000000001", "1e308",
  ])
  func aDecimalNumberIsReadExactly(text: String) {
    #expect(Double(decimal: text) == Double(text))
  }

  @Test(arguments: ["", "-", ".", "e5", "1e400", "-1e400", "nan", "inf", "0x10", "1,5", " 1", "1 ", "1.2.3", "--1"])
  func whatIsNoDecimalNumberIsNone(text: String) { #expect(Double(decimal: text) == nil) }

  @Test(arguments: [
    (0.0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (719, "11 min 59 s"), (3599.7, "1 h 00 min"),
    (7500, "2 h 05 min"),
    (172_799, "2 d 00 h"), (273_600, "3 d 04 h"), (-5, "0 s"),
  ]) func durations(_ seconds: Double, _ text: String) { #expect(durationText(seconds) == text) }

  @Test func hashesAreStable() {
    #expect(stableHash([]) == 0xCBF2_9CE4_8422_2325 && stableHash(Array("a".utf8)) == 0xAF63_DC4C_8601_EC8C)
  }
}
