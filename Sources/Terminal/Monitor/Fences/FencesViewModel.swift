import LocationKit
import Platform
import Rx
import RxBinding

struct FenceItem: Sendable, Equatable {
  var region: Region
  var state: RegionState
  /// Metres from the fence's centre; `nil` without a fix.
  var distance: Double?

  func details(in units: MeasurementUnits) -> String {
    Details.text([
      ("state", state.rawValue),
      ("distance", distance.map(units.words(distance:))),
      ("latitude", fixedPoint(region.center.latitude, decimals: 8) + "°"),
      ("longitude", fixedPoint(region.center.longitude, decimals: 8) + "°"),
      ("radius", units.words(distance: region.radius)),
    ])
  }
}

struct FencesViewModel {
  struct Input {
    let regions: Observable<[Region]>
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
  let units: MeasurementUnits

  @MainActor
  func transform(input: Input) -> Output {
    let (center, names, unit) = (center, names, units.height)
    let name = input.name.map { $0.isEmpty || names.contains($0) ? nil : $0 }
    let radius = input.radius.map { text in
      Double(decimal: text).map { $0 / unit.factor }.flatMap { $0 > 0 && $0 <= CircularRegion.maximumRadius ? $0 : nil }
    }
    let fence = Driver.combineLatest(name, radius) { name, radius -> Region? in
      guard let name, let radius else { return nil }
      return Region(center: center, radius: radius, identifier: name)
    }
    // An empty field is no mistake yet.
    let hint = Driver.combineLatest(name, radius, input.name, input.radius) { name, radius, nameText, radiusText in
      if name == nil, !nameText.isEmpty { return "There is a fence of that name." }
      return radius == nil && !radiusText.isEmpty ? "The radius is a number above 0, in \(unit.name)." : ""
    }
    return Output(isValid: fence.map { $0 != nil }, fence: fence, hint: hint)
  }
}
