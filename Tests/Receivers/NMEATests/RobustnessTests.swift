import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

/// Whatever the bytes are and however they are cut.
@Suite(.inTurn) struct RobustnessTests {
  /// Sentences, noise, comments, bad sums and a sentence about as long as any may be.
  private static let messy: [UInt8] = {
    var bytes = Array("# a comment with a $GPGGA in it\n".utf8)
    bytes += [0xB5, 0x62, 0x24, 0x24, 0x21, 0x0D, 0x0D, 0x0A]
    let drive = syntheticDrive(cycles: 12)
    bytes += drive.prefix(1500)
    bytes += Array(
      "$GPGLL,4916.45,N,12311.12,W,225444,A,A*5D\r\n!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\n".utf8)
    for length in [1000, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016] {
      bytes += Array(line("GPTXT," + String(repeating: "x", count: length)).utf8)
    }
    bytes += drive.dropFirst(1500)
    bytes += Array("\\s:x,c:1*00\\".utf8) + drive.prefix(400)
    return bytes
  }()

  @Test func cutsChangeNothing() {
    let whole = decode(Self.messy)
    #expect(whole.locations.count > 12)
    #expect(whole.statistics.malformed > 0 && whole.statistics.checksum > 0 && whole.statistics.unsupported > 0)
    var generator = SplitMix(state: 7)
    var cuts = [[1], [2], [3], [7], [8], [64], [1023], [1024], [1025], [1, 1024], [4096]]
    for _ in 0..<20 { cuts.append((0..<40).map { _ in Int.random(in: 1...200, using: &generator) }) }
    for pieces in cuts {
      let cut = decode(Self.messy, pieces: pieces)
      #expect(cut.events == whole.events, "\(pieces)")
      #expect(cut.statistics == whole.statistics, "\(pieces)")
    }
  }

  @Test func strictFindsTheSameLineHoweverCut() {
    let whole = decode(Self.messy, strict: true)
    #expect(!whole.problems.isEmpty)
    for pieces in [[1], [5], [100, 3]] {
      #expect(decode(Self.messy, pieces: pieces, strict: true).problems == whole.problems)
    }
  }

  /// Changes bytes of good sentences, mending the checksum half of the time so that the fields are read.
  @Test func mutationsNeitherCrashNorInvent() {
    var generator = SplitMix(state: 42)
    let seeds =
      String(decoding: syntheticDrive(cycles: 3), as: UTF8.self).split(separator: "\r\n").map(String.init)
      + [
        line(
          "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0"),
        line("PASHR,POS,0,08,123519.00,4807.0380,N,01131.3240,E,00592.30,,084.4,036.0,+001.5,1.9,1.1,1.5,1.2,UE00"),
        line("PGRME,15.0,M,45.0,M,25.0,M"),
        line("PGRMF,290,293895,160305,093802,13,5213.1439,N,02100.6511,E,A,2,0,226,2,1"),
        line("PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.0"), line("GPGBS,123519,3.0,4.0,5.5,,,,"),
        line("HCHDG,10.0,2.0,E,3.0,E"), line("PSTI,036,054314.000,030521,191.69,-16.35,0.00,R"),
        line("PSTI,030,033010.000,A,2447.0895508,N,12100.5234656,E,94.615,0.00,-0.01,-0.57,111219,R,0.999,3.724"),
        line("GNGNS,123519.00,3333.4268304,N,11153.3538273,W,DAA,19,0.6,406.110,-26.294,6.0,0138,S"),
      ].map { String($0.dropLast(2)) }
    let alphabet = Array("0123456789.,-+ANSEWVM*$!\r\n\u{0}\u{7F}e ".utf8)
    var decoder = NMEADecoder()
    var checked = 0
    func check(_ event: LocationSourceEvent) {
      switch event {
      case .location(let fix):
        checked += 1
        let values = [
          fix.altitude, fix.ellipsoidalAltitude, fix.horizontalAccuracy, fix.verticalAccuracy, fix.course,
          fix.courseAccuracy, fix.speed, fix.speedAccuracy, fix.climb, fix.timestamp?.timeIntervalSince1970,
        ]
        #expect(values.allSatisfy { $0?.isFinite ?? true })
        #expect(fix.coordinate.isValid)
        #expect(fix.course.map { $0 >= 0 && $0 < 360 } ?? true)
      case .heading(let heading):
        #expect([heading.magneticHeading, heading.trueHeading].allSatisfy { $0.map { $0 >= 0 && $0 < 360 } ?? true })
      default: break
      }
    }
    for _ in 0..<(runsLongTests ? 40_000 : 12_000) {
      var bytes = Array(seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        let index = bytes.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[index] = alphabet.randomElement(using: &generator) ?? 0
        case 2: bytes.remove(at: index)
        default: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: index)
        }
      }
      if Bool.random(using: &generator), let star = bytes.lastIndex(of: UInt8(ascii: "*")), bytes.first == 0x24 {
        let body = String(decoding: bytes[1..<star], as: UTF8.self)
        if body.utf8.count == star - 1 { bytes = Array(line(body, end: "").utf8) }
      }
      decoder.decode(bytes + [13, 10], check)
    }
    decoder.finish(check)
    #expect(checked > 500)
  }

  @Test func randomBytes() {
    var generator = SplitMix(state: 3)
    var decoder = NMEADecoder()
    for _ in 0..<50 {
      let bytes = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      decoder.decode(bytes) { _ in }
    }
    decoder.finish { _ in }
    #expect(decoder.statistics.bytes == 250_000)
    #expect(decoder.statistics.locations == 0)
  }

  /// Numbers come out as the standard library's, to the last bit up to 15 digits.
  @Test func numbersAreCorrectlyRounded() throws {
    var generator = SplitMix(state: 11)
    for _ in 0..<1000 {
      let decimals = Int.random(in: 0...9, using: &generator)
      let digits = String(Int.random(in: 0..<1_000_000, using: &generator))
      let fraction = (0..<decimals).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
      let text = (Bool.random(using: &generator) ? "-" : "") + digits + (decimals > 0 ? "." + fraction : "")
      let fix = location("GPGGA,123519,4807.038,N,01131.324,E,1,08,0.9,\(text),M,46.9,M,,")
      #expect(fix?.altitude == Double(text), "\(text)")
    }
  }

  @Test func memoryOfADecoderDoesNotGrow() {
    // What a decoder keeps is bounded by the longest sentence: its copy shows what it keeps.
    var decoder = NMEADecoder()
    decoder.decode(Array(repeating: UInt8(ascii: "A"), count: 400_000)) { _ in }
    decoder.decode(Array("$".utf8) + Array(repeating: UInt8(ascii: "B"), count: 400_000)) { _ in }
    var described = ""
    dump(decoder, to: &described)
    #expect(described.utf8.count < 200_000)
  }
}
