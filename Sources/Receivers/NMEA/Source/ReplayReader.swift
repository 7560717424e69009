import LocationKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads, decodes and paces one run of a replay; lives on its own thread.
struct ReplayReader {
  /// As many items go to the main actor at once: enough to make the handing over cheap, few enough for the heap to
  /// serve them without asking the kernel.
  static let batchSize = 256
  static let chunkSize = 128 * 1024
  /// Seconds between two movements of the clock while nothing else happens.
  static let tick = 0.1
  /// Seconds behind its time after which a paced replay goes on from there instead of catching up.
  static let forgivenDelay = 5.0

  let inputs: [NMEAInput]
  let speed: NMEASource.Speed
  let loops: Bool
  let isStrict: Bool
  let stop: StopSignal
  let mailbox: MainActorMailbox<ReplayItem>

  var timeline = RecordingTimeline()
  var batch: [ReplayItem] = []
  private var statistics = NMEAStatistics()
  /// Whether this repetition has had any event.
  var hasPlayed = false
  /// When, on the host's clock, the replay's time 0 was or would have been.
  var origin: Double?

  init(
    inputs: [NMEAInput], speed: NMEASource.Speed, loops: Bool, isStrict: Bool, stop: StopSignal,
    mailbox: MainActorMailbox<ReplayItem>
  ) {
    self.inputs = inputs
    self.speed = speed
    self.loops = loops
    self.isStrict = isStrict
    self.stop = stop
    self.mailbox = mailbox
    batch.reserveCapacity(Self.batchSize)
  }

  /// Plays everything, then tells how it went. Returns early when stopped.
  mutating func run() {
    add(.event(.status(.connected(devices: inputs.map(\.device)))))
    flush()
    var failure: NMEASourceError?
    repeat {
      hasPlayed = false
      for input in inputs where failure == nil && !stop.isStopped {
        failure = play(input)
      }
      // Inputs without an event would be repeated without a pause.
    } while loops && hasPlayed && failure == nil && !stop.isStopped
    if let failure { add(.failure(failure)) }
    add(.end(statistics))
    flush()
  }

  private mutating func play(_ input: NMEAInput) -> NMEASourceError? {
    var decoder = NMEADecoder(
      sourceInformation: LocationSourceInformation(device: input.device, isSimulatedBySoftware: true),
      isStrict: isStrict)
    var failure: NMEASourceError?
    switch input.content {
    case .bytes(let bytes): bytes.withUnsafeBufferPointer { decode($0, &decoder) }
    case .file(let descriptor, let start): failure = playFile(descriptor, from: start, input, &decoder)
    case .stream(let descriptor): failure = playStream(descriptor, input, &decoder)
    }
    if stop.isStopped { return nil }
    decoder.end { event, time in take(event, time) }
    flush()
    statistics.add(decoder.statistics)
    if let failure { return failure }
    if let problem = decoder.problem { return NMEASourceError(input: input.name, reason: .badLine(problem)) }
    if decoder.statistics.sentences == 0 {
      return NMEASourceError(input: input.name, reason: decoder.statistics.bytes == 0 ? .empty : .noSentences)
    }
    return nil
  }

  private mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ decoder: inout NMEADecoder) {
    decoder.consume(bytes) { event, time in take(event, time) }
  }

  private mutating func playFile(
    _ descriptor: Int32, from start: Int, _ input: NMEAInput, _ decoder: inout NMEADecoder
  ) -> NMEASourceError? {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 64) { buffer in
      var offset = start
      while !stop.isStopped && decoder.problem == nil {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count < 0 {
          if errno == EINTR { continue }
          return NMEASourceError(input: input.name, reason: .readFailed(NMEAInput.words(errno)))
        }
        if count == 0 { break }
        offset += count
        decode(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count]), &decoder)
      }
      return nil
    }
  }

  private mutating func playStream(
    _ descriptor: Int32, _ input: NMEAInput, _ decoder: inout NMEADecoder
  ) -> NMEASourceError? {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 64) { buffer in
      while !stop.isStopped && decoder.problem == nil {
        if !stop.wait(for: descriptor, seconds: 0) {
          // Everything that has arrived goes out before the wait for more.
          flush()
          awaitInput(descriptor)
          continue
        }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          return NMEASourceError(input: input.name, reason: .readFailed(NMEAInput.words(errno)))
        }
        if count == 0 { break }
        var arrived: [(event: LocationSourceEvent, time: Double?)] = []
        decoder.consume(UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])) { event, time in
          arrived.append((event, time))
        }
        let newest = arrived.lastIndex { $0.time != nil }
        for (index, item) in arrived.enumerated() {
          // Nothing behind the newest epoch: it comes from a receiver, now.
          if index == newest, !stop.wait(for: descriptor, seconds: 0) { anchorNow(item.time) }
          take(item.event, item.time)
        }
      }
      return nil
    }
  }
}
