import RegionSockets
import FoundationEssentials
import HeadlessMap
import Output
import Rx

extension RegionStream: ReactiveCompatible {}

extension Reactive where Base: RegionStream {
  /// Writes a record for each region and the time of the fix that it follows.
  var timedRegion: Binder<(region: CoordinateRegion, timestamp: Date?)> {
    Binder(base) { stream, update in stream.write(update.region, at: update.timestamp) }
  }
}
