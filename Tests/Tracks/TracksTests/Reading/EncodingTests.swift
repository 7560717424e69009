import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

@Suite(.inTurn) struct EncodingTests {
  private static let json = ReadingTests.location + "\n"
  private static let track = "<trk><trkseg><trkpt lat='1' lon='2'><src>%</src></trkpt></trkseg></trk></gpx>"

  private func gpx(_ encoding: String, source: [UInt8]) -> [UInt8] {
    let parts = ("<?xml version='1.0' encoding='\(encoding)'?><gpx>" + Self.track).split(separator: "%")
    return Array(parts[0].utf8) + source + Array(parts[1].utf8)
  }

  @Test(
    arguments: [
      ("windows-1252", [0x80, 0x8E, 0x93, 0xE4], "€Ž“ä"), ("Windows-1252", [0x99, 0x81], "™\u{81}"),
      ("ISO-8859-15", [0xA4, 0xA8, 0xBE, 0xE9], "€šŸé"), ("ISO-8859-1", [0xA4, 0xE9], "¤é"),
      ("windows-1251", [0xC6, 0xE0], "Жа"), ("KOI8-R", [0xC6], "ф"),
    ] as [(String, [UInt8], String)])
  func singleBytesAreCharacters(encoding: String, bytes: [UInt8], text: String) {
    let found = ReadingTests.read(.bytes(gpx(encoding, source: bytes), name: "a.gpx"))
    #expect(found.error == nil, "\(String(describing: found.error))")
    #expect(found.fixes.map { $0.sourceInformation?.device } == [text])
  }

  /// Unknown ones, those whose characters have several bytes, and wide ones that the text only declares.
  @Test(arguments: ["x-unknown", "Shift_JIS", "UTF-7", "UTF-16", "utf-16", "UTF-16LE"])
  func anEncodingThatIsNotReadIsNamed(declared: String) {
    let isWide = declared.uppercased().hasPrefix("UTF-16")
    let found = ReadingTests.read(.bytes(gpx(declared, source: isWide ? [] : [0xE0]), name: "a.gpx"))
    #expect(found.fixes.isEmpty)
    #expect(
      found.error?.description
        == (isWide
          ? "a.gpx:1: declares the encoding \(declared), but is not in it; declare UTF-8 in its first line if it is UTF-8"
          : "a.gpx:1: is encoded in \(declared), which is not supported; convert it to UTF-8 and declare that in its first line")
    )
  }

  private func expectWideText(_ bytes: [UInt8], in encoding: String) {
    let found = ReadingTests.read(.bytes(bytes, name: "a"))
    #expect(found.fixes.isEmpty)
    let advice = "convert it with iconv -f \(encoding) -t UTF-8"
    #expect(found.error?.description == "a: is text in \(encoding); \(advice)")
  }

  /// PowerShell writes so what a program prints, and Windows' editor calls it Unicode.
  @Test(
    arguments: [
      (String.Encoding.utf16LittleEndian, "UTF-16LE", [0xFF, 0xFE]),
      (.utf16BigEndian, "UTF-16BE", [0xFE, 0xFF]),
    ] as [(String.Encoding, String, [UInt8])])
  func wideTextIsNamed(encoding: String.Encoding, name: String, mark: [UInt8]) throws {
    for text in [NMEA.epoch(0), Self.json, "\r\n" + Self.json] {
      let bytes = try [UInt8](#require(text.data(using: encoding)))
      for (bytes, name) in [(mark + bytes, "UTF-16"), (bytes, name)] {
        expectWideText(bytes, in: name)
        // And that does it.
        let converted = try #require(String(data: Data(bytes), encoding: name == "UTF-16" ? .utf16 : encoding))
        #expect(ReadingTests.read(converted, name: "a").fixes.count == 1)
      }
    }
    let document = "<?xml version='1.0' encoding='UTF-16'?><gpx>" + Self.track
    let bytes = try [UInt8](#require(document.data(using: encoding)))
    for bytes in [mark + bytes, bytes] {
      #expect(ReadingTests.read(.bytes(bytes, name: "a.gpx")).fixes.count == 1)
    }
  }

  /// A conversion leaves what the first line says of the characters as it is.
  @Test(arguments: ["UTF-8", "utf-8", "windows-1252", "ISO-8859-1", "windows-1251"])
  func wideXMLThatSaysAnotherEncodingIsNamed(declared: String) throws {
    let kml = "<kml><Placemark><LineString><coordinates>2,1 3,1</coordinates></LineString></Placemark></kml>"
    for document in ["<gpx>" + Self.track, kml] {
      let text = "<?xml version='1.0' encoding='\(declared)'?>" + document
      for (name, encoding) in [
        ("UTF-16", String.Encoding.utf16), ("UTF-16LE", .utf16LittleEndian), ("UTF-16BE", .utf16BigEndian),
      ] {
        let bytes = try [UInt8](#require(text.data(using: encoding)))
        expectWideText(bytes, in: name)
      }
      if declared != "windows-1251" { #expect(ReadingTests.read(text, name: "a").fixes.count >= 1) }
    }
  }

  @Test func aByteOrderMarkIsPassedOver() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let document = Array(("<?xml version='1.0'?><gpx>" + Self.track).utf8)
    for bytes in [Array(NMEA.epoch(0).utf8), Array(Self.json.utf8), document] {
      for marked in [mark + bytes, mark + Array("\r\n".utf8) + bytes] where bytes != document || marked[3] == bytes[0] {
        let found = ReadingTests.read(.bytes(marked, name: "a"))
        #expect(found.error == nil && found.fixes.count == 1)
      }
    }
    // cat puts one into the middle.
    let twice = ReadingTests.read(.bytes(Array(Self.json.utf8) + mark + Array(Self.json.utf8), name: "a"))
    #expect(twice.error == nil && twice.fixes.count == 2)
    let sentences = mark + Array(NMEA.epoch(0).utf8) + mark + Array(NMEA.epoch(1).utf8)
    #expect(ReadingTests.read(.bytes(sentences, name: "a")).fixes.count == 2)
  }
}
