import Dispatch
import Glibc
import LocationKit
import NMEA

/// Measures the decoder by itself, and prints what it decodes.
///
///     NMEABench decode FILE     sentences a second of decoding alone, best of five passes over the file in memory
///     NMEABench decode-once FILE  one pass, reading included, for a caller that measures the process
///     NMEABench source FILE     the same with NMEASource's thread and delivery on the main actor
///     NMEABench locations FILE  every location as a JSON line
///     NMEABench events FILE     every event, for reading
///     NMEABench play FILE FACTOR  when each event comes, in seconds of the host's clock
@main
enum NMEABench {
  @MainActor
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: NMEABench decode|decode-once|source|locations|events FILE, or play FILE FACTOR")
      exit(64)
    }
    switch arguments[1] {
    case "decode": measureDecoding(arguments[2], passes: 5)
    case "decode-once": measureDecoding(arguments[2], passes: 1)
    case "source": play(arguments[2], speed: .max, isVerbose: false)
    case "play":
      play(arguments[2], speed: .factor(arguments.count > 3 ? Double(arguments[3]) ?? 1 : 1), isVerbose: true)
    case "locations":
      printEvents(arguments[2]) { event in
        if case .location(let location) = event { print(jsonLine(location)) }
      }
    case "events": printEvents(arguments[2]) { print($0) }
    default: exit(64)
    }
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func report(_ statistics: NMEAStatistics, _ seconds: Double) {
    let perSecond = Int(Double(statistics.sentences) / seconds)
    let megabytes = Int(Double(statistics.bytes) / seconds / 1e6)
    print(
      "\(statistics.sentences) sentences, \(statistics.locations) locations, \(Int(seconds * 1000)) ms: "
        + "\(perSecond) sentences/s, \(megabytes) MB/s")
  }

  private static func measureDecoding(_ path: String, passes: Int) {
    let bytes = contents(path)
    var best = Double.infinity
    var statistics = NMEAStatistics()
    for _ in 0..<passes {
      var decoder = NMEADecoder()
      let start = now()
      bytes.withUnsafeBufferPointer { decoder.decode($0) { _ in } }
      decoder.finish { _ in }
      best = min(best, now() - start)
      statistics = decoder.statistics
    }
    report(statistics, best)
  }

  private static func printEvents(_ path: String, _ show: (LocationSourceEvent) -> Void) {
    var decoder = NMEADecoder()
    decoder.decode(contents(path), show)
    decoder.finish(show)
  }

  private static func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else {
      perror(path)
      exit(66)
    }
    defer { close(descriptor) }
    let size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
        if got <= 0 { break }
        count += got
      }
    }
  }
}
