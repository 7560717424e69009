import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

@Suite(.inTurn) struct EpochTests {
  /// Receivers without a position send 0° and 0°, even as a fix. Next to it a position is one.
  @Test func exactlyZeroIsNoPosition() {
    let (zero, near) = ("0000.0000,N,00000.0000,E", "0000.0000,N,00000.0001,W")
    #expect(decode(line("GPRMC,123519,A,\(zero),0.0,0.0,230324,,,A")).events == [.noFix])
    #expect(decode(line("GPGGA,123519,\(zero),1,04,1.0,0.0,M,0.0,M,,")).events == [.noFix])
    #expect(decode(line("GPRMC,123519,A,\(near),0.0,0.0,230324,,,A")).locations.count == 1)
  }

  /// Each fix is one location, whatever is lost, repeated or sent at another rate.
  @Test(
    arguments: [
      ([rmc("123519"), gga("123519")], 1),
      (
        (0..<3).flatMap { [rmc("12351\($0)"), gga("12351\($0)")] } + [rmc("123513"), rmc("123514"), gga("123514")],
        5
      ),
      ((0..<50).map { rmc(String(format: "123519.%02d", $0)) }, 50),
      ([rmc("123518"), rmc("123519"), rmc("123519"), rmc("123519"), rmc("123520")], 3),
    ] as [([String], Int)])
  func epochsAreCounted(_ sentences: [String], _ count: Int) {
    #expect(decode(sentences.joined()).locations.count == count)
  }

  private static let times: [(sentences: [String], times: [String])] = [
    // Midnight without a date, and with one that comes before or after the first time of its day.
    (
      [rmc("235958"), gga("235958"), gga("235959"), gga("000000"), gga("000001")],
      ["2024-03-23T23:59:58", "2024-03-23T23:59:59", "2024-03-24T00:00:00", "2024-03-24T00:00:01"]
    ),
    (
      [rmc("235959", date: "310324"), gga("235959"), rmc("000000", date: "010424"), gga("000000")],
      ["2024-03-31T23:59:59", "2024-04-01T00:00:00"]
    ),
    (
      [gga("235959"), rmc("235959", date: "310324"), gga("000000"), rmc("000000", date: "010424")],
      ["2024-03-31T23:59:59", "2024-04-01T00:00:00"]
    ),
    // A time that runs backwards stays on its day.
    (
      [rmc("123519"), gga("123519"), gga("113519"), gga("113520")],
      ["2024-03-23T12:35:19", "2024-03-23T11:35:19", "2024-03-23T11:35:20"]
    ),
    // Half a day back is the clock that was set, a little more is midnight, unless there is a date.
    ([rmc("200000"), gga("080000")], ["2024-03-23T20:00:00", "2024-03-23T08:00:00"]),
    ([rmc("200000"), gga("075959")], ["2024-03-23T20:00:00", "2024-03-24T07:59:59"]),
    ([rmc("200000"), rmc("020000")], ["2024-03-23T20:00:00", "2024-03-23T02:00:00"]),
    // A recording of another day follows, which begins at midnight.
    ([rmc("235959"), rmc("000000", date: "270324")], ["2024-03-23T23:59:59", "2024-03-27T00:00:00"]),
    // gpsd 3.22 moves dates before 2017 by 1024 weeks; a recording of 2002 is of 2002.
    ([rmc("230148", date: "261002")], ["2002-10-26T23:01:48"]),
    ([line("GPZDA,230148,26,10,2002,00,00"), gga("230148")], ["2002-10-26T23:01:48"]),
    // A location waits for its date, of ZDA alone or of RMC; a ZDA of another time or with a bad date does not count.
    (
      [gga("123510"), line("GPZDA,123510,23,03,2024,00,00"), gga("123511"), line("GPZDA,123511,23,03,2024,00,00")],
      ["2024-03-23T12:35:10", "2024-03-23T12:35:11"]
    ),
    ([gga("123510"), rmc("123510"), gga("123511"), rmc("123511")], ["2024-03-23T12:35:10", "2024-03-23T12:35:11"]),
    ([gga("123519"), rmc("123519"), line("GPZDA,123521,23,03,2024,00,00")], ["2024-03-23T12:35:19"]),
    (
      [lines("GPZDA,123519,23,03,2024,00,00", "GPZDA,123521,31,02,2024,00,00", "GPGLL,4807.038,N,01131.324,E,,A")],
      ["2024-03-23T12:35:19"]
    ),
    // Lines that were lost let two kinds look like the last of an epoch; the second says no other position.
    (
      [rmc("123519", "07.010"), gga("123520", "07.0204"), rmc("123521", "07.030"), gga("123521", "07.0304")],
      ["2024-03-23T12:35:19", "2024-03-23T12:35:20", "2024-03-23T12:35:21"]
    ),
  ]

  @Test(arguments: times) func locationsHaveTheirTimes(_ sentences: [String], _ times: [String]) {
    #expect(decode(sentences.joined()).times == times)
  }

  @Test func endOfCycleIsLearned() {
    let texts = ["123519", "123520", "123521"].flatMap { [rmc($0), gga($0)] }
    // The first goes out with the first sentence of the second; from then on each with its own last.
    #expect(locationCounts(after: texts) == [0, 0, 1, 2, 2, 3])
    #expect(decode(texts.joined()).locations.count == 3)
  }

  @Test func gllContinuesTheCycle() {
    let texts = (0..<3).flatMap { second in
      [rmc("12351\(second)"), gga("12351\(second)"), line("GPGLL,4807.038,N,01131.324,E,12351\(second),A,A")]
    }
    #expect(locationCounts(after: texts) == [0, 0, 0, 1, 1, 2, 2, 2, 3])
  }

  /// Without a fix GGA alone has a time; that does not make it the end of later epochs.
  @Test func aFalseEndIsUnlearned() {
    let text =
      (0..<3).map { line("GPGGA,12350\($0),,,,,0,00,,,M,,M,,") + line("GPRMC,12350\($0),V,,,,,,,230324,,") }.joined()
      + (0..<5).map { gga("12351\($0)") + rmc("12351\($0)") }.joined()
    let decoded = decode(text)
    #expect(decoded.noFixCount == 3)
    #expect(decoded.locations.dropFirst().map(\.course) == [84.4, 84.4, 84.4, 84.4])
  }

  @Test func aKindThatComesTwiceIsNoEnd() {
    let text = (0..<4).map { rmc("12351\($0)") + gga("12351\($0)") + rmc("12351\($0)") }.joined()
    let decoded = decode(text)
    #expect(decoded.locations.count == 4)
    #expect(decoded.locations.allSatisfy { $0.altitude == 545.4 })
  }

  /// VTG and BWC come before the first sentence that starts the epoch, and GLL is that one.
  @Test func whatComesBeforeAnEpochIsNotOfTheOneBefore() {
    let text = (0..<5).map { second in
      line("GPBWC,12351\(second),5130.02,N,00046.34,W,213.8,T,218.0,M,0004.6,N,EGLM")
        + line("GPVTG,10\(second).0,T,,M,005.5,N,010.2,K,A")
        + line("GPGLL,4807.03\(second),N,01131.324,E,12351\(second),A,A")
        + gga("12351\(second)", "07.03\(second)") + line("GPZDA,12351\(second),23,03,2024,00,00")
    }
    let decoded = decode(text.joined())
    #expect(decoded.times.count == 5)
    #expect(decoded.times.dropFirst() == (1..<5).map { "2024-03-23T12:35:1\($0)" }[...])
    // BWC's time shows that VTG is of the next epoch.
    #expect(decoded.locations.dropFirst().map(\.course) == [101, 102, 103, 104])
  }

  /// GLL and RMC say nothing of it.
  @Test func theDimensionIsKept() {
    func gll(_ time: String) -> String { line("GPGLL,4807.038,N,01131.324,E,\(time),A,A") }
    let cycles = (0..<3).map { rmc("12351\($0)") + gga("12351\($0)") + gll("12351\($0)") }
    let text = cycles.joined() + rmc("123513") + gll("123514") + rmc("123515")
    #expect(decode(text).locations.map(\.mode) == Array(repeating: .threeDimensional, count: 6))
  }

  @Test func gllAloneEndsItsEpochs() {
    let epochs = (0..<4).map { line("GPGLL,4807.03\($0),N,01131.324,E,12351\($0),A,A") }
    #expect(locationCounts(after: [line("GPZDA,123509,23,03,2024,00,00")] + epochs).last == 4)
  }

  @Test func theTimeOfGBSStartsAnEpoch() {
    #expect(locationCounts(after: [rmc("123519"), line("GPGBS,123520,3.0,4.0,5.5,,,,")]) == [0, 1])
  }

  @Test func wholeSecondsFiveTimesASecond() {
    let text = (0..<10).map { gga("12351\($0 / 5)", "07.\(100 + $0)") }.joined()
    #expect(decode(line("GPZDA,123500,23,03,2024,00,00") + text).locations.count >= 6)
  }

  @Test(arguments: [
    ("010100", "2000-01-01"), ("311279", "2079-12-31"), ("060180", "1980-01-06"), ("311299", "1999-12-31"),
    ("290224", "2024-02-29"),
  ])
  func twoDigitYears(_ date: String, _ expected: String) {
    #expect(decode(rmc("000000", date: date)).times == [expected + "T00:00:00"])
  }

  /// The position still counts, for the epoch in the making.
  @Test(arguments: ["310224", "3102x4"])
  func anRMCWithABadDateStartsNoEpoch(_ date: String) {
    let decoded = decode(rmc("123519") + rmc("123520", "07.040", date: date) + rmc("123521", "07.041"))
    #expect(decoded.times == ["2024-03-23T12:35:19", "2024-03-23T12:35:21"])
    #expect(decoded.statistics.problems == 1)
  }

  /// Whatever the order of the sentences and the moment at which the date becomes known.
  @Test func anEpochIsOneFixBeforeTheDateIsKnownToo() {
    let kinds = ["GGA", "GLL", "RMC", "VOID", "ZDA", "GSA", "VTG"]
    func sentence(_ kind: String, _ number: Int, isDated: Bool) -> String {
      let (time, minutes) = ("1235\(10 + number)", String(format: "%06.3f", 7 + Double(number) / 100))
      return switch kind {
      // One decimal more, as many receivers have it.
      case "GGA": gga(time, minutes + "4")
      case "GLL": line("GPGLL,48\(minutes),N,01131.324,E,\(time),A,A")
      case "RMC": rmc(time, minutes, date: isDated ? "230324" : "")
      case "VOID": isDated ? rmc(time, minutes) : line("GPRMC,\(time),V,,,,,,,,,,N")
      case "ZDA": line(isDated ? "GPZDA,\(time),23,03,2024,00,00" : "GPZDA,\(time),,,,00,00")
      case "GSA": line("GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0")
      default: line("GPVTG,084.4,T,,M,022.4,N,,K")
      }
    }
    func orders(_ count: Int) -> [[String]] {
      guard count > 0 else { return [[]] }
      return orders(count - 1).flatMap { order in kinds.filter { !order.contains($0) }.map { order + [$0] } }
    }
    for order in (2...4).flatMap(orders) where !Set(order).isDisjoint(with: ["GGA", "GLL", "RMC"]) {
      // While it does not know the date, a receiver's RMC is either void or not.
      if Set(order).isSuperset(of: ["RMC", "VOID"]) { continue }
      for undated in [2, 6] {
        let text = (0..<undated + 3).flatMap { number in
          order.map { sentence($0, number, isDated: number >= undated) }
        }
        let latitudes = decode(text.joined()).locations.map(\.coordinate.latitude)
        let numbers = latitudes.map { Int((($0 - 48) * 60 - 7) * 100 + 0.2) }
        #expect(numbers == Set(numbers).sorted(), "\(order), \(undated) without a date")
      }
    }
  }

  /// A receiver may say the loss with another kind first the next time.
  @Test func eachLossOfTheTimeIsSaidByTheKindThatComesFirst() {
    let (emptyGGA, emptyRMC) = (line("GPGGA,,,,,,0,,,,,,,,"), line("GPRMC,,V,,,,,,,,,,N"))
    let decoded = decode(rmc("123518") + rmc("123519") + emptyRMC + emptyGGA + rmc("123530") + emptyGGA)
    #expect(decoded.locations.count == 3 && decoded.noFixCount == 2, "\(decoded.events)")
  }

  @Test func gsaDecidesTheDimension() {
    func mode(_ gsa: String) -> FixMode? {
      decode(rmc("123519") + line("GPGSA,A,\(gsa),05,13,15,,,,,,,,,,1.3,0.8,1.0")).locations.first?.mode
    }
    #expect(mode("3") == .threeDimensional)
    #expect(mode("2") == .twoDimensional)
    #expect(mode("1") == nil)
  }

  @Test func speedAndClimbFollowFromPositions() throws {
    func at(_ time: String, _ minutes: String, _ altitude: String) -> String {
      line("GPGGA,\(time),00\(minutes),N,00001.000,E,1,08,0.9,\(altitude),M,0.0,M,,")
    }
    let text = line("GPZDA,123510,23,03,2024,00,00") + at("123510", "00.000", "100") + at("123512", "00.060", "104")
    let last = try #require(decode(text).locations.last)
    // 0.001° of latitude at the equator are 110.574 m.
    #expect(abs(try #require(last.speed) - 110.574 / 2) < 0.001)
    #expect(last.climb == 2)
  }

  /// A receiver that sends nothing but PGRMF starts no epochs; its speed follows from one fix to the next.
  @Test func speedFollowsWithoutEpochs() throws {
    let text = lines(
      "PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E,A,2,,226,2,1",
      "PGRMF,290,293897,160305,093804,13,5213.1539,N,02100.6511,E,A,2,,226,2,1")
    // 0.01 minutes of latitude are 18.5 m.
    #expect(abs(try #require(decode(text).locations.last?.speed) - 18.5 / 2) < 0.1)
  }

  /// Neither over years nor from a later position to an earlier one.
  @Test(arguments: [
    rmc("000010", date: "060180") + gga("000010") + line("GPZDA,123519,23,03,2024,00,00") + gga("123519"),
    rmc("123519") + gga("123510", "07.040"),
  ])
  func noSpeedFollows(_ text: String) {
    #expect(decode(text).locations.map(\.speed).last == .some(nil))
  }

  @Test func theReceiversVelocityComesBeforeADerivedSpeed() {
    func psti(_ time: String, _ minutes: String) -> String {
      line("PSTI,030,\(time).000,A,24\(minutes),N,12100.5234656,E,94.615,3.00,4.00,0.00,111219,R,0.999,3.724")
    }
    #expect(decode(psti("033010", "47.0") + psti("033011", "47.1")).locations.map(\.speed) == [5, 5])
  }

  @Test func speedAccuracyFollowsFromErrors() {
    func epoch(_ time: String, _ errors: String) -> String { rmc(time) + line("GPGBS,\(time),\(errors),,,,,") }
    let locations = decode(epoch("123519", "3.0,4.0") + epoch("123521", "2.0,1.0")).locations
    #expect(locations.map(\.speedAccuracy) == [nil, 3])
  }

  @Test func everyEpochSaysWhoseItIs() {
    let information = LocationSourceInformation(device: "drive.nmea", isSimulatedBySoftware: true)
    var decoder = NMEADecoder(sourceInformation: information)
    var found: [LocationSourceInformation?] = []
    decoder.decode(rmc("123519").utf8) { _ in }
    decoder.finish { if case .location(let fix) = $0 { found.append(fix.sourceInformation) } }
    #expect(found == [information])
  }
}
