import Formats
import LocationKit
import Output
import Rx
import RxLocation

extension LocationStream: ReactiveCompatible {}

extension Reactive where Base: LocationStream {
  /// Writes a record for each location of a batch.
  var locations: Binder<[Location]> {
    Binder(base) { stream, locations in
      for location in locations { stream.write(location) }
    }
  }

  /// Writes a record for each crossing, with the time and the place of the fix that showed it.
  var crossing: Binder<RegionCrossing> {
    Binder(base) { stream, crossing in
      stream.write(
        FenceRecord(
          fence: crossing.region.identifier, event: crossing.state == .inside ? .enter : .exit,
          coordinate: crossing.location.coordinate, timestamp: crossing.location.timestamp))
    }
  }

  /// Writes a record for each error.
  var error: Binder<LocationError> {
    Binder(base) { stream, error in stream.write(error) }
  }
}
