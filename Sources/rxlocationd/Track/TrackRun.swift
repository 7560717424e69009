import FoundationEssentials
import Journal
import LocationKit
import MapPage
import Platform
import SystemPackage
import TrackDocuments
import Tracks

/// Reads the inputs of `track` and writes its documents, on the calling thread.
final class TrackRun {
  struct Outcome: Sendable {
    /// The errors in order; the first one's status becomes the program's.
    var errors: [CommandError]
    var fixes: Int
    var documents: [String]
    var hint: String?
    /// The recording for the map page; `nil` without a page, or when the inputs were not read to their end.
    var recording: MapRecording?
  }

  private let options: TrackOptions
  private let reading: TrackReadingOptions
  private let inputs: [TrackInput]
  private let name: String
  private let timeZone: TrackTimeZone
  private let progress: TrackProgress
  private let progressLine: ProgressLine?
  private var drawing: TrackDrawing?

  private var outcome = Outcome(errors: [], fixes: 0, documents: [])
  /// The jumps that were left out so far, and those that a document has counted.
  private var jumps = (all: 0, counted: 0)
  /// The fixes whose position is not the measured one.
  private var heldCount = 0
  /// The records skipped since the last document.
  private var skipped = SkippedRecords()
  private var names: [TrackName] = []
  /// Whether the track has a speed that its others do not explain.
  private var isJumpy = false
  private var failure: TrackFailure?
  /// The number of uses of each file name.
  private var fileNames: [String: Int] = [:]

  /// `progressLine` is cleared for output on the same terminal; `isDrawn` says whether a page shows the track.
  init(
    _ options: TrackOptions, _ reading: TrackReadingOptions, inputs: [TrackInput], name: String,
    timeZone: TrackTimeZone, progress: TrackProgress, progressLine: ProgressLine?, isDrawn: Bool
  ) {
    (self.options, self.reading, self.inputs, self.name, self.timeZone) = (options, reading, inputs, name, timeZone)
    (self.progress, self.progressLine) = (progress, progressLine)
    drawing = isDrawn ? TrackDrawing(settings: reading.settings) : nil
  }

  func run() -> Outcome {
    do throws(TrackFailure) {
      try checkDevice()
      switch options.split {
      case nil: try writeWhole()
      case .day: try writeDays()
      case .trip: try writeTrips()
      }
      if let failure { throw failure }
    } catch {
      if case .failed(let error) = error { outcome.errors.append(error) }
      return outcome
    }
    if outcome.fixes == 0 && outcome.errors.isEmpty && !progress.isCancelled {
      outcome.errors.append(CommandError(.dataError, "\(name): holds no fix\(isOfTime ? " in that time" : "")"))
    }
    if options.raw {
      if heldCount > 0 && !options.quiet {
        outcome.hint =
          "\(counted(heldCount, "position was", "positions were")) held by --hold; a record of gpsd has the measured ones"
      }
    } else if isJumpy, !options.quiet, reading.maxSpeed == nil, !progress.isCancelled {
      outcome.hint = jumpHint()
    }
    if outcome.fixes > 0 && !progress.isCancelled { outcome.recording = drawing?.recording(name, timeZone) }
    return outcome
  }

  // MARK: Documents

  private func writeWhole() throws(TrackFailure) {
    // The file is opened before reading, so that an unwritable place is reported at once.
    let whole = TrackDocument(options, reading, name: name, timeZone: timeZone, file: try file(options.output))
    read { event throws(TrackFailure) in try whole.add(event) }
    if failure == nil && outcome.fixes > 0 { try finish(whole) }
  }

  /// A fix without a time belongs to the day of the fix before it.
  private func writeDays() throws(TrackFailure) {
    var day: String?
    var current: TrackDocument?
    read { event throws(TrackFailure) in
      guard case .fix(let fix) = event else {
        try current?.add(event)
        return
      }
      let fixDay = fix.timestamp.map { self.timeZone.day(of: $0) } ?? day ?? "undated"
      if fixDay != day {
        if let current { try self.finish(current) }
        current = try self.begin(fixDay, isNumbered: false)
        day = fixDay
      }
      try current?.add(event)
    }
    if let current, failure == nil { try finish(current) }
  }

  /// The trips are known only at the end, so the inputs are read twice.
  private func writeTrips() throws(TrackFailure) {
    if let once = inputs.first(where: Self.isReadOnce) {
      throw .failed(CommandError(.usage, "\(once.name) can be read only once; --split trip needs files"))
    }
    var summarizer = TrackSummarizer(settings: reading.settings)
    read { summarizer.add($0) }
    var trips = summarizer.finish().trips[...]
    let (errors, drawing) = (outcome.errors, drawing)
    self.drawing = nil
    outcome.fixes = 0
    var index = 0
    var current: TrackDocument?
    read { event throws(TrackFailure) in
      guard case .fix = event else {
        try current?.add(event)
        return
      }
      defer { index += 1 }
      if let trip = trips.first, trip.fixes.contains(index), current == nil {
        current = try self.begin(self.timeZone.day(of: trip.start), isNumbered: true)
      }
      try current?.add(event)
      guard let trip = trips.first, index + 1 == trip.fixes.upperBound, let done = current else { return }
      try self.finish(done)
      current = nil
      trips.removeFirst()
    }
    // The second pass finds the same errors.
    (outcome.errors, self.drawing) = (errors, drawing)
    if let current, failure == nil { try finish(current) }
  }

  private static func isReadOnce(_ input: TrackInput) -> Bool {
    guard case .path(let path) = input else { return input == .standardInput }
    return (try? Stat(path)).map { ![.regular, .directory].contains($0.type) } ?? false
  }

  private func begin(_ label: String, isNumbered: Bool) throws(TrackFailure) -> TrackDocument {
    fileNames[label, default: 0] += 1
    let number = fileNames[label, default: 1]
    let text = isNumbered || number > 1 ? "\(label)-\(number)" : label
    let file = try file(options.output.map { $0.replacing("{}", with: text) })
    return TrackDocument(options, reading, name: "\(name), \(text)", timeZone: timeZone, file: file)
  }

  private func file(_ path: String?) throws(TrackFailure) -> OutputFile {
    do throws(CommandError) {
      guard let path, !["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path) else {
        return try OutputFile { [progressLine] in progressLine?.finish() }
      }
      return try OutputFile(path: path)
    } catch {
      throw .failed(error)
    }
  }

  private func finish(_ document: TrackDocument) throws(TrackFailure) {
    let figures = try document.finish(jumps: jumps.all - jumps.counted, skipped: skipped, names: names)
    // A wrong position is far away, or is reached at a speed that the others do not have.
    isJumpy =
      isJumpy || figures.movingDistance.map { $0 * 1.5 < figures.distance } ?? false
      || (figures.greatestSpeed ?? 0) > 4 * (figures.averageSpeed ?? .infinity)
    skipped = SkippedRecords()
    outcome.documents.append(document.fileName)
    jumps.counted = jumps.all
  }

  // MARK: Inputs

  private var isOfTime: Bool { options.since != nil || options.until != nil }

  /// Several devices must not be joined into one track.
  private func checkDevice() throws(TrackFailure) {
    // Reading the journal later reports its error.
    guard options.device == nil, let place = reading.journal, let path = place.path,
      let count = try? JournalReader(path: path).newestLocations().count, count > 1
    else { return }
    throw .failed(
      CommandError(
        .usage,
        "journal \(place) has \(count) devices, and a track is of one; name it with --device, \(Self.listing(place))"))
  }

  private static func listing(_ place: JournalPlace) -> String {
    "as rxlocationd collect --list --journal \(place) shows them"
  }

  private func reasonForNothing(
    of device: String, in place: JournalPlace, _ history: any DeviceHistory
  ) throws(JournalError) -> CommandError {
    var hasFixes = false
    if isOfTime {
      try history.forEachLocation(of: device, since: nil, until: nil, onUnusable: { _ in }) { _ in
        hasFixes = true
        return false
      }
    }
    return hasFixes
      ? CommandError(.dataError, "journal \(place) holds no fix of \(device) in that time")
      : CommandError(
        .dataError, "journal \(place) has no device \(device); name one of its own, \(Self.listing(place))")
  }

  /// Passes on the selected fixes of all inputs. Reading stops when `body` fails.
  private func read(_ body: (TrackEvent) throws(TrackFailure) -> Void) {
    var filter = reading.maxSpeed.map { JumpFilter(maximumSpeed: $0) }
    jumps = (0, 0)
    heldCount = 0
    skipped = SkippedRecords()
    names = []
    func deliver(_ event: TrackEvent) {
      guard failure == nil else { return }
      do throws(TrackFailure) {
        if case .fix(let fix) = event {
          outcome.fixes += 1
          if options.raw, fix.sourceInformation?.isHeld == true { heldCount += 1 }
        }
        drawing?.add(event)
        try body(event)
      } catch {
        failure = error
        progress.cancel()
      }
    }
    func receive(_ event: TrackEvent) {
      guard isWanted(event) else { return }
      if filter == nil { deliver(event) } else { filter?.add(event, deliver) }
      jumps.all = filter?.jumpCount ?? 0
    }
    func skip(_ record: SkippedRecord) {
      skipped.add(record)
      drawing?.skipped.add(record)
    }
    func keep(_ name: TrackName) {
      // A file may have any number of waypoints, and a person reads this.
      if names.count < 100 { names.append(name) }
    }
    for (index, input) in inputs.enumerated() where !progress.isCancelled {
      if index > 0 { receive(.gap) }
      do throws(TrackInputError) {
        try TrackReader.read(input, gapAfter: reading.gapAfter, progress: progress, onSkip: skip, onName: keep, receive)
      } catch {
        outcome.errors.append(CommandError(error))
      }
    }
    if let place = reading.journal, !progress.isCancelled {
      if !inputs.isEmpty { receive(.gap) }
      readJournal(place, skip, receive)
    }
    filter?.finish(deliver)
    jumps.all = filter?.jumpCount ?? 0
    drawing?.jumps = jumps.all
    drawing?.names = names
  }

  private func readJournal(_ place: JournalPlace, _ skip: (SkippedRecord) -> Void, _ receive: (TrackEvent) -> Void) {
    var gaps = GapFinder(gapAfter: reading.gapAfter)
    func skipRow(_ row: UnusableRow) {
      let problem = row.isDamaged ? "is on a damaged page" : "has no position on earth"
      skip(
        SkippedRecord(row.isDamaged ? .damaged : .position, input: "\(place)", line: Int(row.number), problem: problem))
    }
    defer { gaps.finish(receive) }
    do throws(JournalError) {
      if let device = options.device {
        let history = try reading.database.history(at: place)
        var isEmpty = true
        try history.forEachLocation(
          of: device, since: options.since, until: options.until, onUnusable: skipRow
        ) { location in
          isEmpty = false
          gaps.add(.fix(location), receive)
          return !progress.isCancelled
        }
        if isEmpty { outcome.errors.append(try reasonForNothing(of: device, in: place, history)) }
      } else if let path = place.path {
        try JournalReader(path: path).forEachLocation(
          since: options.since, until: options.until, onUnusable: skipRow
        ) { location in
          gaps.add(location.map { .fix($0) } ?? .gap, receive)
          return !progress.isCancelled
        }
      }
    } catch {
      outcome.errors.append(CommandError(error, isInput: true))
    }
  }

  /// The jumps of the files, with the limit that leaves them out: the lowest at which there are as many as at twice and
  /// four times that speed, so that it does not leave out fixes of the way itself.
  private func jumpHint() -> String? {
    guard !inputs.contains(where: Self.isReadOnce) else { return nil }
    let speeds = (0..<8).map { Double(8 << $0) }
    var (filters, fixes) = (speeds.map { JumpFilter(maximumSpeed: $0) }, 0)
    func add(_ event: TrackEvent) {
      if case .fix = event { fixes += 1 }
      for index in filters.indices where isWanted(event) { filters[index].add(event) { _ in } }
    }
    for input in inputs {
      add(.gap)
      try? TrackReader.read(input, gapAfter: reading.gapAfter, add)
    }
    let counts = filters.map { filter in
      var filter = filter
      filter.finish { _ in }
      return filter.jumpCount
    }
    guard
      let index = counts.indices.dropLast(2).first(where: { index in
        (1...max(2, fixes / 50)).contains(counts[index]) && Set(counts[index...index + 2]).count == 1
      })
    else { return nil }
    let them = counts[index] == 1 ? "it" : "them"
    return "\(counted(counts[index], "jump")); --max-speed \(Int(speeds[index])) leaves \(them) out"
  }

  private func isWanted(_ event: TrackEvent) -> Bool {
    guard case .fix(let fix) = event, isOfTime else { return true }
    guard let time = fix.timestamp else { return false }
    return options.since.map { time >= $0 } ?? true && options.until.map { time < $0 } ?? true
  }
}

extension CommandError {
  init(_ error: TrackInputError) {
    switch error.reason {
    case .notFound, .notReadable, .isDirectory, .empty: self.init(.noInput, error.description)
    case .unknownKind, .otherKind, .noFixes, .badGzip, .badLine, .encoding, .skippedRecords:
      self.init(.dataError, error.description)
    case .readFailed: self.init(.ioError, error.description)
    }
  }
}
