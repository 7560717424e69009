import Records
import SystemPackage
import TrackDocuments
import Tracks

/// One document that is being written: the writer of its format, its own figures, and where it goes.
final class TrackDocument {
  private var writer: any TrackWriter
  private var summarizer: TrackSummarizer
  private var simplifier: Simplifier?
  private var buffer = RecordBuffer(capacity: 128 << 10)
  private let file: OutputFile
  private let name: String

  /// What messages call the place that it goes to.
  var fileName: String { file.name }

  /// Begins a document in a file.
  init(_ options: TrackOptions, name: String, timeZone: TrackTimeZone, file: OutputFile) {
    writer = options.format.makeWriter(name: name, timeZone: timeZone, units: options.units ?? .ofLocale)
    summarizer = TrackSummarizer(settings: options.settings)
    simplifier = options.simplify.map { Simplifier(tolerance: $0) }
    self.file = file
    self.name = name
    writer.begin(to: &buffer)
  }

  /// Takes the next event. The figures are those of all fixes, also of those that are left out to simplify.
  func add(_ event: TrackEvent) throws(TrackFailure) {
    summarizer.add(event)
    if simplifier == nil {
      writer.append(event, to: &buffer)
    } else {
      simplifier?.add(event) { writer.append($0, to: &buffer) }
    }
    if buffer.count >= 64 << 10 { try flush() }
  }

  /// Writes the rest, and makes the file appear.
  func finish(jumps: Int, skipped: SkippedRecords) throws(TrackFailure) {
    simplifier?.finish { writer.append($0, to: &buffer) }
    let report = TrackReport(name: name, summary: summarizer.finish(), jumps: jumps, skipped: skipped)
    writer.end(report, to: &buffer)
    try flush()
    do throws(Errno) {
      try file.finish()
    } catch {
      throw failure(error)
    }
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
      ? .nobodyReads : .failed(CommandError(.ioError, "\(file.name): writing failed: \(error.description)"))
  }
}

/// Why nothing more is written.
enum TrackFailure: Error {
  /// The reader of standard output has gone, which is no fault.
  case nobodyReads
  /// A document cannot be written.
  case failed(CommandError)
}
