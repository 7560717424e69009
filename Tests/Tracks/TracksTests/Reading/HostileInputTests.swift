import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

/// Inputs with random damage: they end with an error or without one, and never crash.
@Suite(.inTurn) struct HostileInputTests {
  private static let lines = (0..<20).map {
    #"{"type":"location","time":"2026-05-06T23:54:\#($0 + 10).000Z","latitude":37.77\#($0),"longitude":-122.3985,"#
      + #""altitude":10.1,"speed":1.5,"mode":3,"satellites":9,"source":"a\u00e4","simulated":true}"#
  }.joined(separator: "\n")

  private static let gpx =
    #"<?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" xmlns:g="urn:g"><trk><name>n</name><trkseg>"#
    + (0..<20).map {
      #"<trkpt lat="37.77\#($0)" lon="-122.3985"><ele>10.\#($0)</ele><time>2026-05-06T23:54:\#($0 + 10)Z</time>"#
        + "<extensions><g:speed>1.5</g:speed><g:course>&#52;0</g:course></extensions></trkpt>\n"
    }.joined() + "</trkseg></trk></gpx>"

  /// What an attacker or a bad disk would put into it.
  private static let words = [
    "<", ">", "&", "\"", "{", "}", "[", "]", ":", ",", "\\", "\n", "\0", "\u{FFFF}", "<![CDATA[", "]]>", "<!--", "-->",
    "<!DOCTYPE gpx [<!ENTITY a \"b\">]>", "&a;", "&#0;", "<trkseg>", "</trkseg>", "<trkpt>", "1e400", "-", "nan",
    "9999",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "\\ud800", "\\u12", "\u{FEFF}",
  ]

  static func mutated(_ bytes: [UInt8], _ dice: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0...dice.next(4) {
      guard !bytes.isEmpty else { break }
      let index = dice.next(bytes.count)
      switch dice.next(6) {
      case 0: bytes[index] = UInt8(dice.next(256))
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + 1 + dice.next(40)))
      case 2: bytes.insert(contentsOf: Array(Self.words[dice.next(Self.words.count)].utf8), at: index)
      case 3:
        bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + dice.next(200))], at: dice.next(bytes.count))
      case 4: bytes.removeSubrange(index...)
      default: bytes[index] ^= UInt8(1 << dice.next(8))
      }
    }
    return bytes
  }

  @Test(arguments: 0..<(runsLongTests ? 32 : 4)) func damagedInputsNeverCrash(seed: Int) throws {
    let drive = try [UInt8](Data(contentsOf: Checkout.file("Recordings/drive.nmea"))).prefix(4000)
    let plain = [Array(Self.lines.utf8), Array(Self.gpx.utf8), Array(drive)]
    let kinds = try plain + plain.map { try Command.gzip($0) }
    var dice = SplitMix(state: UInt64(seed))
    var (errors, fixes) = (0, 0)
    for round in 0..<240 {
      let outcome = ReadingTests.read(.bytes(Self.mutated(kinds[round % kinds.count], &dice), name: "x"))
      errors += outcome.error == nil ? 0 : 1
      fixes += outcome.fixes.count
      for fix in outcome.fixes {
        #expect(fix.coordinate.isValid)
        #expect(fix.timestamp.map { $0.timeIntervalSince1970.isFinite } ?? true)
      }
      // And what follows takes all of it.
      var (filter, simplifier, summarizer) = (JumpFilter(maximumSpeed: 50), Simplifier(tolerance: 5), TrackSummarizer())
      for event in outcome.events { filter.add(event) { simplifier.add($0) { summarizer.add($0) } } }
      filter.finish { simplifier.add($0) { summarizer.add($0) } }
      simplifier.finish { summarizer.add($0) }
      let statistics = summarizer.finish().statistics
      #expect(statistics.distance.isFinite && statistics.movingTime >= 0)
    }
    // The damage is neither harmless nor total.
    #expect((40..<236).contains(errors), "\(errors)")
    #expect(fixes > 400)
  }
}
