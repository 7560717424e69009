import NMEA
import Replay
import TestSupport
import Testing

@Suite(.inTurn) struct SentenceReaderTests {
  @Test func parses() throws {
    let sentence = try NMEASentence(parsing: "$HCHDG,101.1,,,7.1,W*3C\r\n")
    #expect(sentence.talker == "HC")
    #expect(sentence.formatter == "HDG")
    #expect(sentence.fields == ["101.1", "", "", "7.1", "W"])
    #expect(sentence.hadChecksum)
    #expect(sentence.description == "$HCHDG,101.1,,,7.1,W*3C")
  }

  @Test func vendorsHaveNoTalker() throws {
    let garmin = try NMEASentence(parsing: "$PGRME,15.0,M,45.0,M,25.0,M*1C")
    #expect(garmin.isProprietary && garmin.talker == nil && garmin.formatter == "PGRME")
    let quectel = try NMEASentence(parsing: "$PQGSV,1,1,00")
    #expect(!quectel.isProprietary && quectel.talker == "PQ" && quectel.formatter == "GSV")
  }

  @Test(arguments: ["", "GPGGA", "$GPGGA,1*00", "$GPGGA,1*4", "$GPGGA,\u{1}", "$GPGGA$GPGGA"])
  func refuses(_ text: String) {
    #expect(throws: LineProblem.self) { try NMEASentence(parsing: text) }
  }

  @Test func readsAStreamHoweverCut() {
    let text =
      "noise" + line("SDDBT,7.7,f,2.3,M,1.3,F") + "$GPGGA,1*00\r\n" + "!AIVDM,1,1,,A,14eG,0*00\n"
      + line("GPGGA,1,2", end: "") + line("GPZDA,1", end: "")
    let bytes = Array(text.utf8)
    for size in [1, 2, 5, 1000] {
      var reader = NMEASentenceReader()
      var found: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        reader.read(bytes[start..<min(start + size, bytes.count)]) { found.append($0.formatter) }
      }
      reader.finish { found.append($0.formatter) }
      #expect(found == ["DBT", "GGA", "ZDA"])
    }
  }
}
