import Glibc
import LocationKit
import Platform
import Records
import SystemPackage
import TrackDocuments
import Tracks

/// The destination of a document: standard output, or a file that appears when it is complete.
///
/// A file is written under another name beside it and renamed, so that readers never see half of it, and the old file
/// stays until the new one is complete. The file replaces a symbolic link, so that the link's target does not change. A
/// pipe or another special file is written directly.
final class OutputFile {
  private let descriptor: Int32
  let name: String
  /// The file to replace; `nil` when bytes are written directly.
  private let target: String?
  private let temporary: String
  private var isOpen = true
  /// Called before the first bytes go out.
  private var willWrite: (() -> Void)?

  /// Standard output; `willWrite` is called before the first bytes that may appear on the terminal, to make room for them.
  init(willWrite: @escaping () -> Void = {}) throws(CommandError) {
    guard StandardStreams.isWritable(STDOUT_FILENO) else {
      throw CommandError(.ioError, "standard output is closed, so nothing can be written to it")
    }
    (descriptor, name, target, temporary) = (STDOUT_FILENO, "standard output", nil, "")
    if StandardStreams.mayAppear(STDOUT_FILENO) { self.willWrite = willWrite }
  }

  /// Creates a file, by default for everyone whom the umask allows.
  init(path: String, mode: mode_t = 0o666) throws(CommandError) {
    name = path
    let old = try? Stat(path)
    if let old, old.type != .regular {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      (target, temporary) = (nil, "")
      if descriptor < 0 { throw Self.cannotCreate(path) }
      return
    }
    let part = "\(path).\(getpid()).part"
    // A leftover of an ended process with the same number can be removed.
    unlink(part)
    descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    (target, temporary) = (path, part)
    if descriptor < 0 { throw Self.cannotCreate(path) }
    if let old { fchmod(descriptor, old.permissions.rawValue) }
  }

  deinit { discard() }

  func write(_ buffer: borrowing RecordBuffer) throws(Errno) {
    willWrite?()
    willWrite = nil
    try buffer.withUnsafeBytes { (bytes) throws(Errno) in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if count < 0 && errno == EAGAIN {
          // Another process has made the descriptor non-blocking; wait for room.
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&entry, 1, 1000)
        } else if count == 0 || errno != EINTR {
          throw count == 0 ? .ioError : Errno(rawValue: errno)
        }
      }
    }
  }

  /// Writes all bytes to standard output. A closed pipe is not an error: the reader has stopped reading.
  func print(_ buffer: borrowing RecordBuffer) throws(CommandError) {
    do throws(Errno) {
      try write(buffer)
    } catch {
      guard error != .brokenPipe else { return }
      throw CommandError(.ioError, "\(name) cannot be written: \(error)")
    }
  }

  func finish() throws(Errno) {
    guard isOpen, descriptor != STDOUT_FILENO else { return }
    isOpen = false
    var failure: Errno?
    // Sync before renaming, so that a power cut leaves either the old file or the new one.
    if target != nil && fsync(descriptor) != 0 { failure = Errno(rawValue: errno) }
    if close(descriptor) != 0 && errno != EINTR && failure == nil { failure = Errno(rawValue: errno) }
    if let target, failure == nil && rename(temporary, target) != 0 { failure = Errno(rawValue: errno) }
    guard let failure else { return }
    if target != nil { unlink(temporary) }
    throw failure
  }

  func discard() {
    guard isOpen, descriptor != STDOUT_FILENO else { return }
    isOpen = false
    close(descriptor)
    if target != nil { unlink(temporary) }
  }

  private static func cannotCreate(_ path: String) -> CommandError {
    CommandError(.cannotCreate, "\(path): cannot be created: \(Errno(rawValue: errno).description)")
  }
}

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
