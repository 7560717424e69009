import LocationKit
import Records
import SystemPackage
import TrackDocuments
import Tracks

/// A document that is being written: its writer, its statistics and its file.
final class TrackDocument {
  private var writer: any TrackWriter
  private var summarizer: TrackSummarizer
  private var simplifier: Simplifier?
  private var buffer = RecordBuffer(capacity: 128 << 10)
  private let file: OutputFile
  private let name: String
  private let coordinates: CoordinateFormat

  var fileName: String { file.name }

  init(
    _ options: TrackOptions, _ reading: TrackReadingOptions, name: String, timeZone: TrackTimeZone, file: OutputFile
  ) {
    writer = options.format.makeWriter(name: name, timeZone: timeZone, units: reading.units ?? .ofLocale)
    summarizer = TrackSummarizer(settings: reading.settings)
    simplifier = reading.simplify.map { Simplifier(tolerance: $0) }
    self.file = file
    self.name = name
    coordinates = reading.coordinates
    writer.begin(to: &buffer)
  }

  /// Adds an event. The statistics include all fixes, even those that simplification leaves out.
  func add(_ event: TrackEvent) throws(TrackFailure) {
    summarizer.add(event)
    if simplifier == nil {
      writer.append(event, to: &buffer)
    } else {
      simplifier?.add(event) { writer.append($0, to: &buffer) }
    }
    if buffer.count >= 64 << 10 { try flush() }
  }

  func finish(jumps: Int, skipped: SkippedRecords, names: [TrackName]) throws(TrackFailure) -> TrackStatistics {
    simplifier?.finish { writer.append($0, to: &buffer) }
    let summary = summarizer.finish()
    let report = TrackReport(
      name: name, summary: summary, jumps: jumps, skipped: skipped, names: names, coordinates: coordinates)
    writer.end(report, to: &buffer)
    try flush()
    do throws(Errno) {
      try file.finish()
    } catch {
      throw failure(error)
    }
    return summary.statistics
  }

  private func flush() throws(TrackFailure) {
    do throws(Errno) {
      try file.write(buffer)
      buffer.removeAll()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: Errno) -> TrackFailure {
    error == .brokenPipe
      ? .readerGone : .failed(CommandError(.ioError, "\(file.name): writing failed: \(error.description)"))
  }
}

enum TrackFailure: Error {
  /// The reader of standard output has gone, which is not an error.
  case readerGone
  case failed(CommandError)
}
