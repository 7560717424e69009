import HeadlessMap
import LocationKit
import Output
import Rx

extension RegionStream: ReactiveCompatible {}

extension Reactive where Base: RegionStream {
  /// Writes a record for each region of a map that follows `manager`, with the time of its last location.
  func region(following manager: LocationManager) -> Binder<CoordinateRegion> {
    Binder(base) { stream, region in stream.write(region, at: manager.location?.timestamp) }
  }
}
