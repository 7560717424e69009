import ArgumentParser
import Glibc
import LocationKit
import Platform
import SystemPackage
import Tracks

struct TrackCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Show the contents of recordings in words, in pictures and on a map.",
    discussion: """
      Reads NMEA 0183, records of gpsd, this program's JSON lines and CSV, GPX, KML, GeoJSON and the files of OwnTracks \
      Recorder, each also gzipped. Several files make one track. With --map it serves a page that shows it, until SIGINT.
      """)

  static let fileOptions: [any ParsableArguments.Type] = [TrackReadingOptions.self, MapOptions.self]

  @Argument(
    help: ArgumentHelp("Files to read; - is standard input.", valueName: "file"),
    completion: .file(), transform: parsed(Bounds.file))
  var files: [FilePath] = []

  @OptionGroup var options: TrackOptions
  @OptionGroup var reading: TrackReadingOptions
  @OptionGroup var map: MapOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  func check() throws(SettingError) {
    if files.isEmpty && reading.journal == nil && !options.raw {
      throw SettingError("name a file to read, or a --journal")
    }
    try options.check(reading)
    try map.check()
  }

  @MainActor
  func run() async throws {
    EarlySignals.keepInterrupts()
    try await reportingErrors {
      let command = try await Configuration(of: self).read()
      let map = command.map
      try files.checkStandardInput()
      let (inputs, reading) = try inputs(command.reading)
      let timeZone = (reading.timeZone ?? .local).apply()
      if inputs.filter({ $0 == .standardInput }).count > 1 {
        throw CommandError(.usage, "standard input can be read only once")
      }
      let files = inputs.map { FilePath($0.name).lastComponent?.string ?? $0.name }
      let journal = reading.journal.map { place in
        place.path.map { FilePath($0).lastComponent?.string ?? $0 } ?? place.description
      }
      let name = (files + [journal].compactMap { $0 }).joined(separator: ", ")
      // The server starts first, so that an unusable address is reported at once.
      let server = try await TrackServer(map, name: name, units: reading.units ?? .ofLocale)
      let progress = TrackProgress()
      // The part of a journal between --since and --until is not known before it is read.
      let size = journal == nil ? Self.size(of: inputs) : nil
      let passes = options.split == .trip ? 2 : 1
      let line = options.quiet ? nil : ProgressLine(total: size.map { passes * $0 }) { progress.bytesRead }
      let watch = Task { await Self.watchInterrupts(progress) }
      let outcome: TrackRun.Outcome
      do {
        outcome = try await Thread.result { [options] in
          TrackRun(
            options, reading, inputs: inputs, name: name, timeZone: timeZone, progress: progress, progressLine: line,
            isDrawn: server != nil
          ).run()
        }
      } catch {
        throw CommandError(.unavailable, "cannot start a thread: \(error)")
      }
      watch.cancel()
      line?.finish()
      let status = Self.report(outcome)
      if let server {
        if let recording = outcome.recording { await server.show(recording) }
        await server.shutdown()
      }
      if let status { throw status }
    }
  }

  private static func report(_ outcome: TrackRun.Outcome) -> ExitCode? {
    if let signal = EarlySignals.interrupt {
      let documents = outcome.documents.joined(separator: ", ")
      let what =
        documents.isEmpty
        ? "nothing was written" : "\(documents) holds the first \(counted(outcome.fixes, "fix", "fixes"))"
      StandardError.write(line: "rxlocationd: interrupted: \(what)")
      return ExitCode(128 + signal)
    }
    if let hint = outcome.hint { StandardError.write(line: "rxlocationd: \(hint)") }
    for error in outcome.errors { StandardError.write(line: "rxlocationd: \(error.line)") }
    return outcome.errors.first?.status.code
  }

  /// What is read, and how. With `--raw` this is the record of gpsd in place of the journal, and nothing is left out,
  /// whatever the settings say.
  private func inputs(_ settings: TrackReadingOptions) throws(CommandError) -> ([TrackInput], TrackReadingOptions) {
    var (inputs, reading) = (files.map { $0 == "-" ? TrackInput.standardInput : .path($0) }, settings)
    guard options.raw else {
      if self.reading.record == nil { return (inputs, reading) }
      throw CommandError(.usage, "--record is for --raw; give --raw as well, or name its files")
    }
    let flags: KeyValuePairs = [
      "journal": self.reading.journal != nil, "device": options.device != nil,
      "max-speed": self.reading.maxSpeed != nil, "simplify": self.reading.simplify != nil,
    ]
    if let (flag, _) = flags.first(where: \.value) {
      throw CommandError(.usage, "--raw shows all that the receiver said, so it excludes --\(flag); leave one out")
    }
    (reading.journal, reading.maxSpeed, reading.simplify) = (nil, nil, nil)
    if let record = inputs.isEmpty ? reading.record : self.reading.record {
      inputs.append(.pieces(Recordings.pieces(of: record), name: record))
    } else if inputs.isEmpty {
      throw CommandError(
        .usage,
        "--raw needs a file, or a record in the settings: a journal has only what the outputs got, and 'record PATH' keeps "
          + "everything that gpsd says")
    }
    return (inputs, reading)
  }

  /// The size of all files in bytes; `nil` if one of them is not a regular file.
  private static func size(of inputs: [TrackInput]) -> Int? {
    var size = 0
    for input in inputs {
      let paths: [FilePath]
      switch input {
      case .path(let path): paths = [path]
      case .pieces(let pieces, _): paths = pieces
      case .standardInput, .bytes: return nil
      }
      for path in paths {
        guard let status = try? Stat(path), status.type == .regular else { return nil }
        size += Int(status.size)
      }
    }
    return size
  }

  /// Ends the reading after SIGINT or SIGTERM, and the process if that takes longer than a second.
  private static func watchInterrupts(_ progress: TrackProgress) async {
    while !Task.isCancelled {
      if let signal = EarlySignals.interrupt {
        progress.cancel()
        try? await Task.sleep(for: .seconds(0.9))
        guard !Task.isCancelled else { return }
        StandardError.write(line: "rxlocationd: interrupted: nothing more was written")
        _exit(128 + signal)
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
}
