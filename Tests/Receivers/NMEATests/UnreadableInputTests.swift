import Foundation
import LocationKit
import NMEA
import Replay
import Testing
import TestSupport

/// Recordings that are none, or not to their end.
@MainActor
@Suite(.serialized) struct UnreadableInputTests {
  @Test func strictEndsAtTheFirstBadLine() async throws {
    let source = source(cycle("120000") + cycle("120001") + "$GPRMC,1*00\r\n" + cycle("120002"), strict: true)
    let recorder = await played(source)
    let failure = try #require(source.failure)
    #expect(failure.description.hasPrefix("test.nmea: line 3: "))
    #expect(recorder.locationCount == 2)
    #expect(recorder.events.contains(.failed(LocationError(.locationUnknown, failure.description))))
  }

  @Test func noiseIsNoRecording() async throws {
    let source = source("this is\nno recording\n")
    _ = await played(source)
    #expect(try #require(source.failure).reason == .noSentences)
  }

  /// As `track` says it; at a pace the first piece ends within the first line's end.
  @Test(
    arguments: [
      (String.Encoding.utf16LittleEndian, "UTF-16LE", [0xFF, 0xFE]), (.utf16BigEndian, "UTF-16BE", [0xFE, 0xFF]),
    ] as [(String.Encoding, String, [UInt8])])
  func wideTextIsNamed(encoding: String.Encoding, name: String, mark: [UInt8]) async throws {
    for text in [NMEA.epoch(0), "\r\n" + NMEA.epoch(0)] {
      let bytes = try [UInt8](#require(text.data(using: encoding)))
      for (bytes, name) in [(bytes, name), (mark + bytes, "UTF-16")] {
        let source = NMEASource([ReplayInput(name: "test.nmea", bytes: bytes)], speed: .factor(1))
        let recorder = SourceRecorder(source)
        source.attach(recorder)
        #expect(await eventually { recorder.isFinished })
        #expect(
          source.failure?.description == "test.nmea: is text in \(name); convert it with iconv -f \(name) -t UTF-8")
      }
    }
  }
}
