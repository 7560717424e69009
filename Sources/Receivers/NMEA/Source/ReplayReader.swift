import Glibc
import LocationKit
import Platform
import Synchronization
import SystemPackage

/// Reads and decodes one run of a replay; lives on its own thread.
struct ReplayReader {
  private static let chunkSize = 128 * 1024
  /// Bytes after which events are handed on at the latest, so that few of them wait.
  private static let pieceSize = 4096

  private let inputs: [NMEAInput]
  private let loops: Bool
  private let isStrict: Bool
  private let stop: Wakeup
  private let count: @Sendable (NMEAStatistics) -> Void
  private var pacer: ReplayPacer

  /// What the decoders of the inputs before this one have met.
  private var finished = NMEAStatistics()
  /// Whether this turn has had any event.
  private var hasPlayed = false

  /// Creates a reader.
  ///
  /// - Parameter count: Called on the reading thread with all that was met so far.
  init(
    inputs: [NMEAInput], loops: Bool, isStrict: Bool, stop: Wakeup, pacer: ReplayPacer,
    count: @escaping @Sendable (NMEAStatistics) -> Void
  ) {
    self.inputs = inputs
    self.loops = loops
    self.isStrict = isStrict
    self.stop = stop
    self.count = count
    self.pacer = pacer
  }

  /// Plays everything, then says how it ended. Returns early when stopped.
  mutating func run() {
    pacer.add(.event(.status(.connected(devices: inputs.map(\.device)))))
    pacer.flush()
    do throws(NMEASourceError) {
      repeat {
        hasPlayed = false
        for input in inputs where !pacer.isStopped { try play(input) }
        if loops { pacer.startOver() }
        // Inputs without an event would be repeated without a pause.
      } while loops && hasPlayed && !pacer.isStopped
    } catch {
      pacer.add(.failure(error))
    }
    pacer.add(.end)
    pacer.flush()
  }

  private mutating func play(_ input: NMEAInput) throws(NMEASourceError) {
    var decoder = NMEADecoder(
      sourceInformation: LocationSourceInformation(device: input.device, isSimulatedBySoftware: true),
      isStrict: isStrict)
    var failure: Errno?
    switch input.content {
    case .bytes(let bytes): bytes.withUnsafeBufferPointer { playPieces($0, &decoder) }
    case .file(let descriptor, let start): failure = playFile(descriptor, from: start, &decoder)
    case .stream(let descriptor): failure = playStream(descriptor, &decoder)
    case .path(let path): return try play(NMEAInput.opened(path: path))
    }
    guard !pacer.isStopped else { return }
    decoder.finish()
    handOn(&decoder)
    pacer.flush()
    finished.add(decoder.statistics)
    if let failure { throw NMEASourceError(input: input.name, reason: .readFailed(failure)) }
    if let problem = decoder.problem { throw NMEASourceError(input: input.name, reason: .badLine(problem)) }
    if decoder.statistics.sentences == 0 {
      throw NMEASourceError(input: input.name, reason: decoder.statistics.bytes == 0 ? .empty : .noSentences)
    }
  }

  /// Hands on what the decoder has ready.
  ///
  /// - Parameter isNewestLive: Asked when it comes to the newest epoch, whether that is of now.
  private mutating func handOn(
    _ decoder: inout NMEADecoder, isNewestLive: (ReplayReader) -> Bool = { _ in false }
  ) {
    report(decoder.statistics)
    let newest = decoder.events.lastIndex { $0.time != nil }
    for (index, (event, time)) in decoder.events.enumerated() {
      hasPlayed = true
      pacer.take(event, at: time, isLive: index == newest && isNewestLive(self))
    }
    decoder.removeEvents()
  }

  /// Reports what was met before this input and in it.
  private func report(_ statistics: NMEAStatistics) {
    var total = finished
    total.add(statistics)
    count(total)
  }

  private mutating func playFile(
    _ descriptor: FileDescriptor, from start: Int64, _ decoder: inout NMEADecoder
  ) -> Errno? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
      var offset = start
      while !pacer.isStopped && decoder.problem == nil {
        let count = pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 {
          if errno == EINTR { continue }
          return Errno(rawValue: errno)
        }
        if count == 0 { break }
        offset += Int64(count)
        playPieces(UnsafeBufferPointer(rebasing: buffer[..<count]), &decoder)
      }
      return nil
    }
  }

  /// Plays bytes of a recording. At a pace it goes line by line, so that what was counted is never ahead of what is played.
  private mutating func playPieces(_ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout NMEADecoder) {
    var rest = bytes[...]
    while !rest.isEmpty, !pacer.isStopped, decoder.problem == nil {
      let lineEnd = pacer.isPaced ? rest.firstIndex(of: UInt8(ascii: "\n")) : nil
      let piece = rest[...min(lineEnd ?? rest.endIndex - 1, rest.startIndex + Self.pieceSize - 1)]
      decoder.scan(UnsafeBufferPointer(rebasing: piece))
      rest = rest[piece.endIndex...]
      if !decoder.events.isEmpty { handOn(&decoder) }
    }
    report(decoder.statistics)
  }

  private mutating func playStream(_ descriptor: FileDescriptor, _ decoder: inout NMEADecoder) -> Errno? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
      while !pacer.isStopped && decoder.problem == nil {
        if !hasInput(descriptor) { pacer.awaitInput(descriptor.rawValue) }
        if pacer.isStopped { break }
        let count = read(descriptor.rawValue, buffer.baseAddress, buffer.count)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          return Errno(rawValue: errno)
        }
        if count == 0 { break }
        decoder.scan(UnsafeBufferPointer(rebasing: buffer[..<count]))
        // Nothing behind the newest epoch: it comes from a receiver, now.
        handOn(&decoder, isNewestLive: { !$0.hasInput(descriptor) })
      }
      return nil
    }
  }

  private func hasInput(_ descriptor: FileDescriptor) -> Bool {
    stop.wait(for: descriptor.rawValue, seconds: 0) == .ready
  }
}
