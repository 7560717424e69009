import LocationKit
import Output
import Rx

extension LocationStream: ReactiveCompatible {}

extension Reactive where Base: LocationStream {
  /// Writes a record for each location of a batch.
  var locations: Binder<[Location]> {
    Binder(base) { stream, locations in
      for location in locations { stream.write(location) }
    }
  }

  /// Writes a record for each region of `manager` that was crossed, with its last location.
  func crossing(_ event: FenceRecord.Event, of manager: LocationManager) -> Binder<CircularRegion> {
    Binder(base) { stream, region in
      guard let location = manager.location else { return }
      stream.write(
        FenceRecord(
          fence: region.identifier, event: event, coordinate: location.coordinate, timestamp: location.timestamp))
    }
  }

  /// Writes a record for each error.
  var error: Binder<LocationError> {
    Binder(base) { stream, error in stream.write(error) }
  }
}
