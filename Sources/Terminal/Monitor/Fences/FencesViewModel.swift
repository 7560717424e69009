import LocationKit
import Rx
import RxBinding

/// A fence, and the receiver's position relative to it.
struct FenceItem: Sendable, Equatable {
  var region: CircularRegion
  var state: RegionState
  /// Metres from the fence's centre; `nil` without a fix.
  var distance: Double?

  /// The text with all members.
  var details: String {
    Details.text([
      ("state", state.rawValue),
      ("distance", Details.metres(distance)),
      ("latitude", fixedPoint(region.center.latitude, decimals: 8) + "°"),
      ("longitude", fixedPoint(region.center.longitude, decimals: 8) + "°"),
      ("radius", Details.metres(region.radius)),
    ])
  }
}

struct FencesViewModel {
  struct Input {
    /// The watched fences.
    let regions: Observable<[CircularRegion]>
    /// The state of a fence, once it is determined.
    let state: Observable<(state: RegionState, region: CircularRegion)>
    let location: Observable<Location>
  }

  struct Output {
    /// Sorted by name.
    let fences: Driver<[FenceItem]>
  }

  func transform(input: Input) -> Output {
    let states = input.state
      .scan([CircularRegion: RegionState]()) { states, new in
        states.merging([new.region: new.state]) { $1 }
      }
      .startWith([:])
    let location = input.location.map { $0 as Location? }.startWith(nil)
    let fences = Observable.combineLatest(input.regions, states, location) { regions, states, location in
      regions.sorted { $0.identifier < $1.identifier }.map { region in
        FenceItem(
          region: region, state: states[region] ?? .unknown,
          distance: location.map { region.center.distance(from: $0.coordinate) })
      }
    }
    return Output(fences: fences.distinctUntilChanged().asDriver(onErrorJustReturn: []))
  }
}
