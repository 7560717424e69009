import Dispatch
import Glibc
import LocationKit
import NMEA
import Replay
import SystemPackage

/// Counts the events of a source, and prints each with its time on request.
@MainActor
private final class Receiver: LocationSourceReceiver {
  let source: NMEASource
  let isVerbose: Bool
  let start = NMEABench.now()

  init(_ source: NMEASource, isVerbose: Bool) {
    self.source = source
    self.isVerbose = isVerbose
  }

  func receive(_ event: LocationSourceEvent) {
    let elapsed = NMEABench.now() - start
    if isVerbose {
      print("\(elapsed)\t\(source.clock.now)\t\(event)")
      fflush(nil)
    }
    guard case .finished = event else { return }
    NMEABench.report(source.statistics, elapsed)
    if let failure = source.failure { print(failure) }
    exit(source.failure == nil ? 0 : 65)
  }
}

extension NMEABench {
  @MainActor
  static func play(_ path: String, speed: ReplaySpeed, isVerbose: Bool) {
    do {
      let source = NMEASource(try NMEASource.open([FilePath(path)]), speed: speed)
      let receiver = Receiver(source, isVerbose: isVerbose)
      source.attach(receiver)
      withExtendedLifetime((source, receiver)) { dispatchMain() }
    } catch {
      print(error)
      exit(66)
    }
  }
}
