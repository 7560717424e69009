import LocationKit
import NMEA
import TestSupport
import Testing

/// An epoch means the same in whatever order its sentences come, and what is lost of one costs no other.
@Suite(.inTurn) struct EpochOrderTests {
  @Test func theOrderOfAnEpochsSentencesDoesNotMatter() {
    let kinds = [
      "GPRMC,TIME,A,4807.038,N,01131.324,E,022.4,,230324,,,A",
      "GPGGA,TIME,4807.0384,N,01131.3241,E,2,00,0.9,545.4,M,46.9,M,,",
      "GNGNS,TIME,4807.0384,N,01131.3241,E,NDD,11,0.9,545.4,46.9,,,V", "GPVTG,084.4,T,,M,022.3,N,,K,A",
      "GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,1.0", "GPGLL,4807.04,N,01131.32,E,TIME,A,A",
      "GPGBS,TIME,3.0,4.0,5.5,,,,",
      "PGRMZ,1789,f,3",
    ]
    var generator = SplitMix(state: 19)
    let first = kinds[0]
    var fixes: Set<Location> = []
    for _ in 0..<100 {
      // The first sentence of an epoch is one with a time.
      let order = kinds.dropFirst().shuffled(using: &generator)
      let timed = order.firstIndex { $0.contains("TIME") } ?? 0
      let others = ([first] + order).filter { $0 != order[timed] }
      let sentences = Bool.random(using: &generator) ? [first] + order : [order[timed]] + others
      let text = (0..<4).map { second in
        sentences.map { line($0.replacing("TIME", with: "12351\(second)")) }.joined()
      }.joined()
      let locations = decode(text).locations
      #expect(locations.count == 4)
      for var location in locations.dropFirst() {
        location.timestamp = nil
        fixes.insert(location)
      }
    }
    #expect(fixes.count == 1)
    let fix = fixes.first
    #expect(fix?.altitude == 545.4 && fix?.course == 84.4 && fix?.speed == 22.3 * (1852.0 / 3600))
    #expect(fix?.horizontalAccuracy == 5 && fix?.satellitesUsed == 5 && fix?.quality?.status == .differential)
  }

  /// Everything after the position counts for its own epoch, from the first one on.
  @Test func whatFollowsThePositionIsOfItsEpoch() {
    let gsa = (0..<5).map { "GPGSA,A,3,05,13,15,18,20,,,,,,,,1.3,0.8,\(1 + $0).0" }
    let afterGGA = (0..<5).map { gga("12351\($0)") + line(gsa[$0]) + line("GPVTG,08\($0).0,T,,M,010.0,N,,K,A") }
      .joined()
    let locations = decode(line("GPZDA,123509,23,03,2024,00,00") + afterGGA).locations
    #expect(locations.map(\.course) == [80, 81, 82, 83, 84])
    #expect(locations.map(\.quality?.vdop) == [1, 2, 3, 4, 5])
    let afterGLL = (0..<5).map { second in
      rmc("12351\(second)") + line("GPGLL,4807.038,N,01131.324,E,12351\(second),A,A")
        + line("PGRMZ,\(1000 + second),f,3")
    }.joined()
    let meters: [Double?] = (1000..<1005).map { feet in Double(feet) * 0.3048 }
    #expect(decode(afterGLL).locations.map(\.altitude) == meters)
  }

  /// A live receiver that begins its cycle with VTG: the pause before shows it.
  @MainActor @Test func whatFollowsAPauseIsOfTheNextEpoch() async throws {
    let live = try LiveSource()
    live.write(line("GPZDA,123509,23,03,2024,00,00"))
    for second in 0..<4 {
      live.write(line("GPVTG,08\(second).0,T,,M,010.0,N,,K,A") + gga("12351\(second)"))
      // From the second cycle on a fix goes out at the end of its cycle. The clock follows the host's during the pause.
      if second > 0 { try #require(await eventually { live.recorder.locationCount == second + 1 }) }
      let clock = live.source.clock.now
      try #require(await eventually { live.source.clock.now > clock + 0.5 })
    }
    #expect(live.recorder.locations.dropFirst().map(\.course) == [81, 82, 83])
  }

  /// A line that is lost costs its own epoch, and no other one.
  @Test func aLostLineCostsOneEpoch() {
    func epoch(_ second: Int) -> [String] {
      let time = "12351\(second)"
      return [
        line("GPGLL,4807.038,N,01131.324,E,\(time),A,A"), gga(time), rmc(time), line("GPVTG,084.4,T,,M,022.4,N,,K"),
      ]
    }
    for lost in 0..<4 {
      for kept in [[0], [0, 1], [0, 2], [1, 3], [0, 1, 2]] {
        let text = (0..<8).flatMap { second in
          second == lost + 2 ? kept.map { epoch(second)[$0] } : epoch(second)
        }.joined()
        let locations = decode(text).locations
        #expect(locations.count == 8)
        for (second, fix) in locations.enumerated() where second != lost + 2 {
          #expect(fix.altitude == 545.4 && fix.course == 84.4, "\(second), kept \(kept)")
        }
      }
    }
  }

  /// The receiver is set to send other sentences.
  @Test func aWrongEndIsUnlearned() {
    let before = (0..<5).map { gga("12351\($0)") + rmc("12351\($0)") }
    let after = (0..<5).map { rmc("12352\($0)") + gga("12352\($0)") + line("GPVTG,084.4,T,,M,010.0,N,,K") }
    let speeds = decode((before + after).joined()).locations.map(\.speed)
    #expect(speeds.count == 10)
    #expect(speeds.suffix(4).allSatisfy { $0 == 10 * (1852.0 / 3600) }, "\(speeds)")
  }

  /// One constellation without a fix does not undo the other's.
  @Test func theBestOfSeveralGSADecides() {
    let (gps, beidou) = (
      line("GPGSA,A,3,02,05,07,13,15,,,,,,,,1.4,1.0,1.0"), line("BDGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9")
    )
    for pair in [gps + beidou, beidou + gps] {
      let decoded = decode((0..<4).map { rmc("12351\($0)") + gga("12351\($0)") + pair }.joined())
      #expect(decoded.locations.map(\.mode) == Array(repeating: .threeDimensional, count: 4))
      #expect(decoded.noFixCount == 0)
    }
  }

  /// Dead reckoning: quality 6, mode E, no satellites, and with u-blox's limits exceeded a void RMC.
  @Test(arguments: ["A", "V"], [false, true])
  func deadReckoningIsAFix(_ status: String, _ isGGAFirst: Bool) {
    let text = (0..<4).map { second in
      let isReckoned = second > 0 && second < 3
      let (status, mode, quality) = isReckoned ? (status, "E", "6,00,99.99") : ("A", "A", "1,08,1.0")
      let rmc = line("GNRMC,12351\(second),\(status),4807.0,N,01131.0,E,030.0,090.0,010524,,,\(mode),V")
      let gga = line("GNGGA,12351\(second),4807.0,N,01131.0,E,\(quality),400.0,M,48.0,M,,")
      return isGGAFirst ? gga + rmc : rmc + gga
    }.joined()
    let decoded = decode(text)
    #expect(decoded.locations.map(\.quality?.status) == [nil, .deadReckoning, .deadReckoning, nil])
    // 99.99 says that the dilution is unknown now.
    #expect(decoded.locations.map { $0.horizontalAccuracy != nil } == [true, false, false, true])
    #expect(decoded.noFixCount == 0)
  }
}
