import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

@Suite(.inTurn) struct DateTests {
  /// The date of some receivers changes an epoch after midnight.
  @Test(arguments: [false, true]) func aDateThatLagsAtMidnightIsTheNextDays(_ isGGAFirst: Bool) {
    let cycles = [("235959", "010524"), ("000000", "010524"), ("000001", "020524"), ("000002", "020524")]
    let text = cycles.map { isGGAFirst ? gga($0.0) + rmc($0.0, date: $0.1) : rmc($0.0, date: $0.1) + gga($0.0) }
    #expect(
      decode(text.joined()).times == [
        "2024-05-01T23:59:59", "2024-05-02T00:00:00", "2024-05-02T00:00:01", "2024-05-02T00:00:02",
      ])
  }

  /// The time of a TAG block, in seconds or milliseconds, dates sentences without a date.
  @Test func aTAGBlockDatesSentencesWithoutADate() {
    func tag(_ body: String, isBad: Bool = false) -> String {
      let sum = body.utf8.reduce(isBad ? 1 : 0, ^)
      return "\\\(body)*" + String(format: "%02X", Int(sum)) + "\\"
    }
    func dates(_ tag: String) -> [String?] {
      let decoded = decode(tag + gga("000001") + gga("000002"))
      #expect(decoded.statistics.problems == 0)
      return decoded.times
    }
    let dated = ["2024-05-02T00:00:01", "2024-05-02T00:00:02"]
    // The station's clock is two seconds behind.
    #expect(dates(tag("s:GPS1,c:1714607999")) == dated)
    #expect(dates(tag("g:1-2-77,c:1714608002123,s:x")) == dated)
    #expect(dates(tag("c:1714608002", isBad: true)) == [nil, nil])
    for other in ["s:c:1714608002", "sc:1714608002", "c:17146x8002", "c:", "c:99999999999999999999"] {
      #expect(dates(tag(other)) == [nil, nil], "\(other)")
    }
    // The receiver's own date counts more.
    #expect(decode(tag("c:1714608002") + rmc("123519") + gga("123519")).times == ["2024-03-23T12:35:19"])
  }
}
