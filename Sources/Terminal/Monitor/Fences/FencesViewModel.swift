import LocationKit
import Platform
import Rx
import RxBinding

/// A fence, and the receiver's position relative to it.
struct FenceItem: Sendable, Equatable {
  var region: Region
  var state: RegionState
  /// Metres from the fence's centre; `nil` without a fix.
  var distance: Double?

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
    let regions: Observable<[Region]>
    /// The state of a fence, once it is determined.
    let state: Observable<(state: RegionState, region: Region)>
    let location: Observable<Location>
  }

  struct Output {
    /// Sorted by name.
    let fences: Driver<[FenceItem]>
  }

  func transform(input: Input) -> Output {
    let states = input.state
      .scan([Region: RegionState]()) { states, new in
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

/// The view model of the dialog that makes a fence at the receiver's position.
struct NewFenceViewModel {
  struct Input {
    let name: Driver<String>
    let radius: Driver<String>
  }

  struct Output {
    let isValid: Driver<Bool>
    /// The fence; `nil` while the input is not a valid fence.
    let fence: Driver<Region?>
    let hint: Driver<String>
  }

  let center: LocationCoordinate2D
  let names: Set<String>

  @MainActor
  func transform(input: Input) -> Output {
    let (center, names) = (center, names)
    let name = input.name.map { $0.isEmpty || names.contains($0) ? nil : $0 }
    let radius = input.radius.map { text in
      Double(decimal: text).flatMap { $0 > 0 && $0 <= CircularRegion.maximumRadius ? $0 : nil }
    }
    let fence = Driver.combineLatest(name, radius) { name, radius -> Region? in
      guard let name, let radius else { return nil }
      return Region(center: center, radius: radius, identifier: name)
    }
    let hint = Driver.combineLatest(name, radius, input.name) { name, radius, written in
      if name == nil { return written.isEmpty ? "It needs a name." : "There is a fence of that name." }
      return radius == nil ? "The radius is a number of metres above 0." : ""
    }
    return Output(isValid: fence.map { $0 != nil }, fence: fence, hint: hint)
  }
}
