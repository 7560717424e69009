import FoundationEssentials
import Journal
import LocationKit
import Rx
import RxLocation

extension JournalWriter: ReactiveCompatible {}

extension Reactive where Base: JournalWriter {
  /// Keeps each location of a batch.
  var locations: Binder<[Location]> {
    Binder(base) { journal, locations in
      for location in locations { journal.append(.location(location)) }
    }
  }

  /// Keeps each crossing, with the fix that showed it.
  var crossing: Binder<RegionCrossing> {
    Binder(base) { journal, crossing in
      journal.append(
        .crossing(
          FenceCrossing(
            region: crossing.region, event: crossing.state == .inside ? .enter : .exit,
            coordinate: crossing.location.coordinate, horizontalAccuracy: crossing.location.horizontalAccuracy,
            time: crossing.location.timestamp)))
    }
  }

  /// Keeps each error, with the time of the last fix before it.
  var error: Binder<(LocationError, Date?)> {
    Binder(base) { journal, failure in journal.append(.error(failure.0, failure.1)) }
  }

  /// Remembers the states of fences for the next run.
  var fenceState: Binder<FenceState> {
    Binder(base) { journal, state in journal.remember(state) }
  }
}
