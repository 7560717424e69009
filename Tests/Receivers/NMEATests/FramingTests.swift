import LocationKit
import NMEA
import Replay
import TestSupport
import Testing

private let body = "GPRMC,123519,A,4807.038,N,01131.324,E,022.4,084.4,230324,003.1,W"

@Suite(.inTurn) struct FramingTests {
  @Test(arguments: ["\r\n", "\n", "\r", "\r\r\n", "  \r\n"])
  func lineEnds(_ end: String) {
    let decoded = decode(line(body, end: end) + line("GPVTG,084.4,T,,M,022.4,N,,K", end: end))
    #expect(decoded.locations.count == 1)
    #expect(decoded.statistics.sentences == 2)
    #expect(decoded.statistics.problems == 0)
  }

  @Test func countsLinesWhateverTheirEnd() {
    let text = ["\r\n", "\n", "\r", "\n", "\r\n"].map { line(body, end: $0) }.joined()
    #expect(decode(text).statistics.lines == 5)
  }

  @Test func aLineFeedBehindACarriageReturnOfAnotherStreamEndsALine() {
    var decoder = NMEADecoder()
    decoder.decode(line(body, end: "\r").utf8) { _ in }
    decoder.finish { _ in }
    decoder.decode("\n".utf8) { _ in }
    #expect(decoder.statistics.lines == 2)
  }

  /// A text with one location, how many sentences it has, and how many that are not supported.
  @Test(arguments: [
    ("the last line needs no end", line(body, end: ""), 1, 0),
    (
      "sentences may run together",
      line(body, end: "") + line("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,545.4,M,46.9,M,,"), 2, 0
    ),
    ("a checksum may be of capitals", "$GPGLL,4916.45,N,12311.12,W,225444,A,A*5C\r\n", 1, 0),
    ("or of small letters", "$GPGLL,4916.45,N,12311.12,W,225444,A,A*5c\r\n", 1, 0),
    ("as gpsd does, none is taken", "$\(body)\r\n", 1, 0),
    ("noise before a sentence on its line", "garbage" + line(body), 1, 0),
    ("a TAG block", "\\s:station1,c:1711197319*75\\" + line(body), 1, 0),
    ("a comment is ignored", "# a receiver: \(line(body))\(line(body))", 1, 0),
    (
      "other sentences are no problem",
      "!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\r\n" + lines("GPXTE,A,A,0.67,L,N", "PXYZ,1", body), 4, 3
    ),
    (
      "what a Garmin was told is no sentence",
      lines("PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1,4,30", body), 2, 1
    ),
    ("a long sentence", line(body + String(repeating: ",", count: 300)), 1, 0),
  ])
  func aSentenceIsFound(_ what: String, _ text: String, _ sentences: Int, _ unsupported: Int) {
    let decoded = decode(text)
    #expect(decoded.locations.count == 1)
    #expect(decoded.statistics.problems == 0)
    #expect(decoded.statistics.sentences == sentences)
    #expect(decoded.statistics.unsupported == unsupported)
  }

  @Test(arguments: ["GP", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI", "GN", "II", "IN", "XY"])
  func anyTalkerCounts(_ talker: String) {
    #expect(decode(line(talker + body.dropFirst(2))).locations.count == 1)
  }

  @Test(arguments: ["*5D", "*00", "*ff"])
  func wrongChecksumIsRefused(_ checksum: String) {
    let decoded = decode("$GPGLL,4916.45,N,12311.12,W,225444,A,A\(checksum)\r\n")
    #expect(decoded.statistics.checksum == 1)
    #expect(decoded.statistics.sentences == 0)
    #expect(decoded.locations.isEmpty)
  }

  /// Loggers append what they like to a sentence, and write before it what they like.
  @Test(
    arguments: [",1714564800123", "\"", "\u{27}, 1", " ;x,y*00", "*7F"],
    ["", "NMEA,", "2024-05-01T12:00:00.100 ", "\""])
  func theChecksumCountsWhereverItStands(_ after: String, _ before: String) {
    let good = line("GPGLL,4916.45,N,12311.12,W,225444,A,A", end: after + "\r\n")
    let decoded = decode(before + good, strict: true)
    #expect(decoded.problems.isEmpty && decoded.statistics.sentences == 1)
    #expect(decoded.locations.count == 1)
    let bad = decode(before + good.replacing("*5C", with: "*00"), strict: true)
    #expect(bad.problems.first?.kind == .checksum && bad.statistics.sentences == 0)
  }

  @Test(arguments: ["*,12", "*5,12", "*5", "*"])
  func anAsteriskWithoutAChecksumIsRefused(_ end: String) {
    #expect(decode("$GPGLL,4916.45,N,12311.12,W,225444,A,A\(end)\r\n").statistics.malformed == 1)
  }

  @Test(arguments: ["", "$", "\u{1}", "*", "*6"])
  func cutOffIsRefused(_ after: String) {
    let decoded = decode("$\(body)\(after)")
    #expect(decoded.locations.isEmpty)
    #expect(decoded.statistics.malformed >= 1)
  }

  @Test func bytesBeforeAndBetweenAreSkipped() {
    let noise: [UInt8] = [0xB5, 0x62, 0x01, 0x24, 0x47, 0x00, 0xFF, 0x24, 0x0A]
    let sentences = ["123519", "123520"].map { Array(line(body.replacing("123519", with: $0)).utf8) }
    let decoded = decode(noise + sentences[0] + noise + sentences[1])
    #expect(decoded.locations.count == 2)
    #expect(decoded.statistics.malformed == 2)
  }

  @Test(arguments: [[Int.max], [1], [1000], [1023], [1024], [1025]])
  func anEndlessSentenceIsOneMalformedLine(_ pieces: [Int]) {
    let endless = "$GPRMC" + String(repeating: ",1", count: 50_000) + "\r\n" + line(body)
    let decoded = decode(Array(endless.utf8), pieces: pieces)
    #expect(decoded.locations.count == 1)
    #expect(decoded.statistics.malformed == 1)
  }

  @Test(arguments: [[Int.max], [1], [1000], [1023], [1024], [1025]])
  func aSentenceHasAtMost1024Bytes(_ pieces: [Int]) {
    // $GPTXT, and the checksum are ten of them.
    func statistics(_ length: Int) -> NMEAStatistics {
      decode(Array(line("GPTXT," + String(repeating: "x", count: length - 10)).utf8), pieces: pieces).statistics
    }
    #expect(statistics(1024).unsupported == 1)
    #expect(statistics(1024).malformed == 0)
    #expect(statistics(1025).unsupported == 0)
    #expect(statistics(1025).malformed == 1)
  }

  @Test func strictNamesTheBadLinesAndEmitsNothingAfterTheFirst() {
    let bad = "$GPGLL,4916.45,N,12311.12,W,225444,A,A*5D\n"
    let later = line(body.replacing("123519", with: "123520"))
    let decoded = decode(line(body) + "\n" + bad + later + bad, strict: true)
    #expect(decoded.problems.map(\.line) == [3, 5])
    #expect(decoded.problems.allSatisfy { $0.kind == .checksum && $0.description.hasPrefix("line \($0.line): ") })
    // What was good before it has come out.
    #expect(decoded.locations.count == 1)
    #expect(decode(line(body) + String(repeating: bad, count: 99), strict: true).problems.count == 10)
  }

  @Test(arguments: [
    ("some text", LineProblem.Kind.malformed),
    (line("GPGGA,123519,4807.038,N", end: ""), .malformed),
    (line("GPRMC,123519,A,9107.038,N,01131.324,E,022.4,084.4,230324,,", end: ""), .outOfRange),
    (line("GPRMC,253519,A,4807.038,N,01131.324,E,022.4,084.4,230324,,", end: ""), .outOfRange),
    (line("GPRMC,123519,A,4807.038,N,01131.324,E,022.4,084.4,310224,,", end: ""), .outOfRange),
    (line("GPRMC,123519,A,4807.x38,N,01131.324,E,022.4,084.4,230324,,", end: ""), .malformed),
    (line("GPRMC,123519,A,4807.038,N,01131.324,E,02-2.4,084.4,230324,,", end: ""), .malformed),
  ])
  func strictTellsTheKind(_ text: String, _ kind: LineProblem.Kind) {
    #expect(decode(text + "\n", strict: true).problems.first?.kind == kind)
  }
}
