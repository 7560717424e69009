import LocationKit
import Rx
import RxBinding
import TestSupport
import Testing

@testable import Monitor

@MainActor @Suite(.inTurn) struct FenceTests {
  private let bag = DisposeBag()
  private let home = Region(
    center: LocationCoordinate2D(latitude: 37.5, longitude: -122.25), radius: 50, identifier: "home")

  @Test func fencesHaveStateAndDistance() {
    let regions = BehaviorRelay<[Region]>(value: [])
    let states = PublishSubject<(state: RegionState, region: Region)>()
    let locations = PublishSubject<Location>()
    let fences = FencesViewModel().transform(
      input: .init(regions: regions.asObservable(), state: states.asObservable(), location: locations.asObservable())
    ).fences.recorded(in: bag)
    var items: [FenceItem] { fences.values.last ?? [] }
    let office = Region(center: home.center, radius: 50, identifier: "a second one")
    regions.accept([home, office])
    #expect(items.map(\.region.identifier) == ["a second one", "home"])
    #expect(items.allSatisfy { $0.state == .unknown && $0.distance == nil })
    states.onNext((.inside, home))
    locations.onNext(fix(latitude: 37.501))
    #expect(items.map(\.state) == [.unknown, .inside])
    #expect(items.allSatisfy { abs(($0.distance ?? 0) - 111) < 0.1 })
    states.onNext((.outside, home))
    regions.accept([home])
    #expect(items.map(\.state) == [.outside])
  }

  @Test(arguments: [MeasurementUnits.metric, .imperial]) func aNewFenceNeedsANameAndARadius(units: MeasurementUnits) {
    let (name, radius) = (BehaviorRelay(value: ""), BehaviorRelay(value: ""))
    let output = NewFenceViewModel(center: home.center, names: ["home"], units: units).transform(
      input: .init(name: name.asDriver(), radius: radius.asDriver()))
    let (valid, fences, hints) = (
      output.isValid.recorded(in: bag), output.fence.recorded(in: bag), output.hint.recorded(in: bag)
    )
    var shown: (isValid: Bool?, hint: String?) { (valid.values.last, hints.values.last) }
    // Nothing is wrong before the user has typed.
    #expect(shown == (false, ""))
    name.accept("home")
    #expect(shown == (false, "There is a fence of that name."))
    name.accept("harbour")
    for text in ["", "0", "-5", "fifty", "inf", "nan", "1e9"] {
      radius.accept(text)
      let hint = text.isEmpty ? "" : "The radius is a number above 0, in \(units.height.name)."
      #expect(shown == (false, hint), "\(text)")
    }
    radius.accept("75.5")
    let fence = fences.values.last ?? nil
    #expect(shown == (true, "") && fence?.identifier == "harbour")
    #expect(abs((fence?.circle.radius ?? 0) - (units == .metric ? 75.5 : 23.0124)) < 0.001)
  }
}
