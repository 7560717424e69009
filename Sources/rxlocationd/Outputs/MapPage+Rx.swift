import LocationKit
import MapPage
import Rx

extension MapPage: ReactiveCompatible {}

extension Reactive where Base: MapPage {
  /// Shows the state of the source.
  var sourceStatus: Binder<LocationSourceStatus> {
    Binder(base) { page, status in page.show(status) }
  }

  /// Shows whether there is a fix.
  var fixState: Binder<FixState> {
    Binder(base) { page, state in page.show(state) }
  }

  /// Shows the satellites.
  var satellites: Binder<[Satellite]> {
    Binder(base) { page, satellites in page.show(satellites) }
  }

  /// Shows the receiver's side of a fence.
  var fenceState: Binder<(state: RegionState, region: CircularRegion)> {
    Binder(base) { page, change in page.show(change.state, of: change.region) }
  }
}
