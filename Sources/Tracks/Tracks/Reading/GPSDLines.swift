import GPSD
import LocationKit

/// A record of gpsd, of `run --record` or of `gpspipe -w -uu`.
struct GPSDLines: LineFormat {
  private var decoder = GPSDRecordDecoder()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void) {
    let isRead = decoder?.decode(bytes) { event in
      switch event {
      case .location(let location): emit(.event(.fix(location)))
      case .noFix, .status(.waiting): emit(.event(.gap))
      case .heading, .satellites, .status, .failed, .finished: break
      }
    }
    if isRead != true { emit(.skipped(RecordFault(.damaged, "is not a time and one of gpsd's reports"), line: line)) }
  }
}
