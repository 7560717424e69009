import Glibc
import Platform
import LocationKit
import Replay
import Synchronization
import SystemPackage

/// Reads and decodes one run of a replay on its own thread.
struct ReplayReader: ReplayPlayer {
  private static let chunkSize = 128 * 1024
  /// Seconds of silence of a live input after which the receiver begins another cycle.
  private static let pauseOfCycles = 0.25

  let isStrict: Bool
  let stop: Wakeup
  var pacer: ReplayPacer<LocationSourceEvent>
  let demand: @Sendable () -> (interests: LocationSourceInterests, satelliteRequests: UInt)
  let count: @Sendable (NMEAStatistics) -> Void
  let counter: ReplayCounter

  /// The counts of the inputs before this one.
  private(set) var finished = NMEAStatistics()
  /// The first bytes of the current input.
  private(set) var head: [UInt8] = []
  var hasPlayed = false
  private(set) var satelliteRequests: UInt = 0

  mutating func startOver() { pacer.startOver() }

  mutating func play(_ input: ReplayInput) throws(ReplayError) {
    head = []
    var decoder = NMEADecoder(
      sourceInformation: LocationSourceInformation(device: input.device, isSimulatedBySoftware: true),
      isStrict: isStrict)
    var failure: ReplayError.Reason?
    do {
      if case .stream(let descriptor) = input.content {
        try playStream(descriptor, &decoder)
      } else {
        try input.readStored(countRead: { counter.bytesRead.add($0, ordering: .relaxed) }) {
          playPieces($0, &decoder)
          return !pacer.isStopped && !decoder.interpreter.isDone
        }
      }
    } catch let error as ReplayError {
      throw error
    } catch {
      failure = ReplayError.Reason(readingFailed: error)
    }
    guard !pacer.isStopped else { return finished.add(decoder.statistics) }
    decoder.finish()
    handOn(&decoder)
    if decoder.interpreter.hasNews { hasPlayed = true }
    pacer.flush()
    finished.add(decoder.statistics)
    if !decoder.problems.isEmpty { throw ReplayError(input: input.name, reason: .badLines(decoder.problems)) }
    if let failure { throw ReplayError(input: input.name, reason: failure) }
    if decoder.statistics.sentences == 0 {
      let cause = WideText.encoding(of: head).map { ReplayError.Reason.encoding($0) } ?? .noSentences
      throw ReplayError(input: input.name, reason: decoder.statistics.bytes == 0 ? .empty : cause)
    }
  }

  /// Hands on the decoder's events. `isNewestLive` returns whether the newest epoch is current.
  private mutating func handOn(_ decoder: inout NMEADecoder, isNewestLive: ((ReplayReader) -> Bool)? = nil) {
    report(decoder.statistics)
    let newest = isNewestLive == nil ? nil : decoder.interpreter.events.lastIndex { $0.time != nil }
    for index in decoder.interpreter.events.indices {
      hasPlayed = true
      let isLive = index == newest && isNewestLive?(self) == true
      let timed = decoder.interpreter.events[index]
      pacer.deliver(timed.event, atTime: timed.time, isLive: isLive)
    }
    decoder.interpreter.removeEvents()
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout NMEADecoder) {
    if head.count < 4 { head += bytes.prefix(4 - head.count) }
    let demand = demand()
    // Satellites that are wanted anew are sent again, although they have not changed.
    if demand.satelliteRequests != satelliteRequests { decoder.interests.remove(.satellites) }
    if decoder.interests != demand.interests { decoder.interests = demand.interests }
    satelliteRequests = demand.satelliteRequests
    decoder.scan(bytes)
  }

  private func report(_ statistics: NMEAStatistics) {
    var total = finished
    total.add(statistics)
    count(total)
  }

  /// Plays bytes of a recording. A paced replay goes line by line, so that the counts are never ahead of the events.
  private mutating func playPieces(_ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout NMEADecoder) {
    var rest = bytes[...]
    while !rest.isEmpty, !pacer.isStopped, !decoder.interpreter.isDone {
      let piece = rest[..<end(ofPieceOf: rest)]
      scan(UnsafeBufferPointer(rebasing: piece), &decoder)
      rest = rest[piece.endIndex...]
      if !decoder.interpreter.events.isEmpty { handOn(&decoder) }
    }
    report(decoder.statistics)
  }

  /// The end of the first piece to play at once: the end of a line if possible, so that no sentence is split.
  private func end(ofPieceOf bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let window = bytes.prefix(NMEADecoder.pieceSize)
    let newline = UInt8(ascii: "\n")
    let lineEnd = pacer.isPaced ? window.firstIndex(of: newline) : window.lastIndex(of: newline)
    return lineEnd.map { $0 + 1 } ?? window.endIndex
  }

  private mutating func playStream(_ descriptor: FileDescriptor, _ decoder: inout NMEADecoder) throws {
    var gunzip: Gunzip?
    var isFirst = true
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
      while !pacer.isStopped && decoder.problems.isEmpty {
        if !hasInput(descriptor) {
          let start = monotonicSeconds()
          pacer.awaitInput(descriptor.rawValue)
          if monotonicSeconds() - start > Self.pauseOfCycles { decoder.interpreter.noteSilence() }
        }
        if pacer.isStopped { break }
        let count = read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          throw Errno(rawValue: errno)
        }
        if count == 0 { break }
        counter.bytesRead.add(count, ordering: .relaxed)
        let bytes = UnsafeBufferPointer(rebasing: buffer[..<count])
        if isFirst, Gunzip.isGzip(bytes) { gunzip = try Gunzip() }
        isFirst = false
        if let gunzip {
          // Compressed input is a recording and does not come live.
          try gunzip.decompress(bytes) { playPieces($0, &decoder) }
        } else {
          scan(bytes, &decoder)
          // The newest epoch has no input behind it, so it comes from a receiver now.
          handOn(&decoder, isNewestLive: { !$0.hasInput(descriptor) })
        }
      }
    }
    if !pacer.isStopped, decoder.problems.isEmpty { try gunzip?.finish() }
  }

  private func hasInput(_ descriptor: FileDescriptor) -> Bool {
    stop.wait(for: descriptor.rawValue, seconds: 0) == .ready
  }
}
