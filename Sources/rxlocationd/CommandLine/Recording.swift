import FoundationEssentials
import GPSD
import LocationKit
import NMEA
import Writing
import Platform
import Replay
import SystemPackage

/// A source of `replay` and `monitor`: NMEA 0183, or gpsd's reports.
@MainActor
protocol Recording: LocationSource {
  var failure: ReplayError? { get }
  nonisolated var byteCount: Int? { get }
  nonisolated var bytesRead: Int { get }
  func makeControl() -> ReplayControl?
  /// What was read, in one line; `nil` if nothing was.
  var summary: String? { get }
  /// The date before which dates are impossible; `nil` if they are not judged.
  var earliestDate: Date? { get }
}

extension NMEASource: Recording {
  /// `nil`: the recording may be old, and joined of several.
  var earliestDate: Date? { nil }

  var summary: String? { statistics.lines > 0 ? statistics.summary : nil }
}

extension GPSDRecording: Recording {
  /// As live. If the record does not say, it may be older than this program.
  var earliestDate: Date? { notBefore ?? beginning.flatMap { $0 < RxLocationD.released ? nil : RxLocationD.released } }

  var summary: String? {
    guard linesRead > 0 else { return nil }
    let bad = skippedLines.values.reduce(0, +)
    return "\(counted(locations, "location")) from \(counted(linesRead, "line"))"
      + (bad > 0 ? ", \(bad) malformed" : "")
  }
}

enum Recordings {
  /// The files of a record, oldest first. Says which of its pieces are missing.
  static func pieces(of record: String) -> [FilePath] {
    let files = RecordPieces.files(of: record)
    reportMissing(in: files)
    return files.map { FilePath($0) }
  }

  /// Pieces are known by their numbers.
  private static func reportMissing(in files: [String]) {
    let missing = RecordPieces.missing(in: files)
    guard let first = missing.first else { return }
    let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
    StandardError.write(
      line:
        "rxlocationd: the record's piece \(first)\(more) is not among the files, so there is a gap; to read a record "
        + "with all its pieces, name its newest file only")
  }

  /// Opens recordings, which are played in this order; the content decides their kind. A record of gpsd is read with its
  /// older pieces, unless some of them are named.
  @MainActor
  static func open(
    _ files: [FilePath], speed: ReplaySpeed, loop: Bool = false, strict: Bool = false
  ) throws(CommandError) -> any Recording {
    var files = files
    // A name that is not UTF-8 is not that of a piece.
    if files.allSatisfy({ FilePath($0.string) == $0 }) {
      let names = RecordPieces.completed(files.map(\.string))
      reportMissing(in: names)
      files = names.map { FilePath($0) }
    }
    let inputs: [ReplayInput]
    do throws(ReplayError) {
      inputs = try NMEASource.open(files, loop: loop)
    } catch {
      throw CommandError(error)
    }
    let records = inputs.filter { GPSDRecording.isRecord($0) }
    guard let record = records.first else { return NMEASource(inputs, speed: speed, loop: loop, strict: strict) }
    guard records.count == inputs.count else {
      throw CommandError(
        .usage, "\(record.name): is a record of gpsd, which cannot be played together with recordings of other kinds")
    }
    return GPSDRecording(inputs, speed: speed, loop: loop, strict: strict)
  }
}
