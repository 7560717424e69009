import GPSD
import Logging
import NMEA
import Writing
import Replay
import SystemPackage
import TestSupport
import Testing
import Tracks

@testable import rxlocationd

/// What becomes of the errors of libraries, and of what they say.
@Suite(.inTurn) struct CommandErrorTests {
  @Test(
    arguments: [
      (.notFound, .noInput), (.empty, .noInput), (.isDirectory, .noInput), (.notReadable(.permissionDenied), .noInput),
      (.encoding("UTF-16LE"), .dataError),
      (.badGzip("torn"), .dataError), (.noSentences, .dataError), (.compressed(decompressor: "xzcat"), .dataError),
      (.notRepeatable, .usage), (.readFailed(.ioError), .ioError),
    ] as [(ReplayError.Reason, rxlocationd.ExitStatus)])
  func aRecordingThatCannotBePlayed(reason: ReplayError.Reason, status: rxlocationd.ExitStatus) {
    #expect(CommandError(ReplayError(input: "x", reason: reason)).status == status)
  }

  @Test func aCompressedRecordingIsDecompressedByATool() {
    let error = CommandError(ReplayError(input: "x", reason: .compressed(decompressor: "zstdcat")))
    #expect(error.message == "x: is compressed; try: zstdcat x | rxlocationd replay -")
  }

  @Test(
    arguments: [
      (.notFound, .noInput), (.notReadable(.permissionDenied), .noInput), (.isDirectory, .noInput), (.empty, .noInput),
      (.unknownKind, .dataError), (.noFixes, .dataError), (.badGzip("torn"), .dataError),
      (.badLine(3, "torn"), .dataError), (.encoding("UTF-16LE"), .dataError), (.skippedRecords, .dataError),
      (.readFailed(.ioError), .ioError),
    ] as [(TrackInputError.Reason, rxlocationd.ExitStatus)])
  func aTrackThatCannotBeRead(reason: TrackInputError.Reason, status: rxlocationd.ExitStatus) {
    #expect(CommandError(TrackInputError(input: "x", reason: reason)).status == status)
  }

  @Test(
    arguments: [(.cannotCreate, .cannotCreate), (.inputOutput, .ioError), (.noResources, .systemError)]
      as [(OutputError.Code, rxlocationd.ExitStatus)])
  func anOutputThatCannotBeWritten(code: OutputError.Code, status: rxlocationd.ExitStatus) {
    let error = CommandError(OutputError(code, "x"))
    #expect(error.status == status)
    #expect(error.message.contains("ulimit -u") == (code == .noResources))
  }

  @Test func kindsOfBadLinesThatDidNotOccurAreLeftOut() {
    var statistics = NMEAStatistics()
    #expect(statistics.summary == "0 locations from 0 sentences")
    (statistics.checksum, statistics.unsupported) = (2, 1)
    #expect(statistics.summary.hasSuffix(" sentences, 2 wrong checksum, 1 unsupported"))
    (statistics.malformed, statistics.outOfRange) = (3, 4)
    #expect(statistics.summary.hasSuffix(" sentences, 2 wrong checksum, 3 malformed, 4 out of range, 1 unsupported"))
  }

  @Test func aLogLevelIsThatOfTheSameName() {
    for level in GPSDLogLevel.allCases { #expect(level.level.rawValue == "\(level)") }
  }
}
