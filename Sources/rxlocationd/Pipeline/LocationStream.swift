import LocationKit
import Output
import Rx

/// The records of standard output: locations, fence crossings and errors in one format.
@MainActor
final class LocationStream {
  private let stream: RecordStream
  private var formatter: any RecordFormatter
  private var buffer = RecordBuffer()
  /// Fixes that have been written.
  private(set) var locations = 0

  init(to stream: RecordStream, formatter: any RecordFormatter) {
    self.stream = stream
    self.formatter = formatter
    write { $0.appendStart(to: &$1) }
  }

  func write(_ location: Location) {
    locations += 1
    write { $0.append(location, to: &$1) }
  }

  func write(_ fence: FenceRecord) {
    write { $0.append(fence, to: &$1) }
  }

  func write(_ error: LocationError) {
    write { $0.append(error, to: &$1) }
  }

  func writeEnd() {
    write { $0.appendEnd(to: &$1) }
  }

  private func write(_ append: (inout any RecordFormatter, inout RecordBuffer) -> Void) {
    buffer.removeAll()
    append(&formatter, &buffer)
    stream.append(buffer)
  }
}

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
