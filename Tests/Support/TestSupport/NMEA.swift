/// Sentences for a receiver that a test plays: a drive that never ends, from 2025-02-01 12:00:00 UTC on.
package enum NMEA {
  /// The sentence with `$`, its checksum and its line end.
  package static func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
  }

  /// Everything that the receiver says in one epoch, the `index`th, `rate` of them a second.
  package static func epoch(_ index: Int, rate: Int = 1, quality: Int = 1, hasFix: Bool = true) -> String {
    let seconds = index / rate
    let hundredths = index % rate * 100 / rate
    let time = two(12 + seconds / 3600) + two(seconds / 60 % 60) + two(seconds % 60) + "." + two(hundredths)
    guard hasFix else {
      return sentence("GPRMC,\(time),V,,,,,,,010225,,,N") + sentence("GPGGA,\(time),,,,,0,00,,,M,,M,,")
        + sentence("GPGSA,A,1,,,,,,,,,,,,,,,")
    }
    let minutes = "\(10 + index / 10_000 % 40)." + String(10_000 + index % 10_000).dropFirst()
    return sentence("GPRMC,\(time),A,51\(minutes),N,00007.5000,W,10.0,45.0,010225,,,A")
      + sentence("GPGGA,\(time),51\(minutes),N,00007.5000,W,\(quality),08,0.9,35.0,M,47.0,M,,")
      + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.6,0.9,1.3")
      + sentence("GPGSV,2,1,08,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45")
      + sentence("GPGSV,2,2,08,05,40,083,46,06,17,308,41,07,07,344,39,08,22,228,45")
  }

  /// A fix without a date, so that its time is not known.
  package static func undated(_ index: Int) -> String {
    sentence("GPGGA,1200\(two(index % 60)),5110.0000,N,00007.5000,W,1,08,0.9,35.0,M,47.0,M,,")
  }

  /// A fix without a height and a number of satellites, at the `index`th second.
  package static func plainFix(_ index: Int) -> String {
    let time = "12" + two(index / 60) + two(index % 60)
    return sentence("GPRMC,\(time).00,A,5110.\(1000 + index),N,00007.5000,W,10.0,45.0,010225,,,A")
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}

extension TemporaryFolder {
  /// Writes a recording of some epochs and returns its path.
  package func recording(_ epochs: Range<Int>) throws -> String {
    try write(epochs.map { NMEA.epoch($0) }.joined(), to: "\(epochs.lowerBound).nmea")
  }
}
