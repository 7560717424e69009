import LocationKit
import Rx
import RxBinding
import RxTest
import Testing

@testable import Monitor

@MainActor
@Suite struct FenceTests {
  private let bag = DisposeBag()
  private let home = Region(
    center: LocationCoordinate2D(latitude: 37.5, longitude: -122.25), radius: 50, identifier: "home")

  @Test func fencesHaveStateAndDistance() {
    let regions = BehaviorRelay<[Region]>(value: [])
    let states = PublishSubject<(state: RegionState, region: Region)>()
    let locations = PublishSubject<Location>()
    let items = BehaviorRelay<[FenceItem]>(value: [])
    FencesViewModel().transform(
      input: .init(
        regions: regions.asObservable(), state: states.asObservable(), location: locations.asObservable())
    ).fences.drive(items).disposed(by: bag)
    let office = Region(center: home.center, radius: 50, identifier: "a second one")
    regions.accept([home, office])
    #expect(items.value.map(\.region.identifier) == ["a second one", "home"])
    #expect(items.value.allSatisfy { $0.state == .unknown && $0.distance == nil })
    states.onNext((.inside, home))
    locations.onNext(fix(latitude: 37.501))
    #expect(items.value.map(\.state) == [.unknown, .inside])
    #expect(items.value.allSatisfy { abs(($0.distance ?? 0) - 111) < 0.1 })
    states.onNext((.outside, home))
    regions.accept([home])
    #expect(items.value.map(\.state) == [.outside])
  }

  @Test(arguments: [MeasurementUnits.metric, .imperial]) func aNewFenceNeedsANameAndARadius(units: MeasurementUnits) {
    let (name, radius) = (BehaviorRelay(value: ""), BehaviorRelay(value: ""))
    let output = NewFenceViewModel(center: home.center, names: ["home"], units: units).transform(
      input: .init(name: name.asDriver(), radius: radius.asDriver()))
    let isValid = BehaviorRelay(value: true)
    let fence = BehaviorRelay<Region?>(value: nil)
    let hint = BehaviorRelay(value: "")
    output.isValid.drive(isValid).disposed(by: bag)
    output.fence.drive(fence).disposed(by: bag)
    output.hint.drive(hint).disposed(by: bag)
    // Nothing is wrong before the user has typed.
    #expect((isValid.value, hint.value) == (false, ""))
    name.accept("home")
    #expect((isValid.value, hint.value) == (false, "There is a fence of that name."))
    name.accept("harbour")
    for text in ["", "0", "-5", "fifty", "inf", "nan", "1e9"] {
      radius.accept(text)
      #expect(!isValid.value, "\(text)")
      #expect(hint.value == (text.isEmpty ? "" : "The radius is a number above 0, in \(units.height.name)."))
    }
    radius.accept("75.5")
    #expect((isValid.value, hint.value) == (true, ""))
    #expect(fence.value?.identifier == "harbour")
    #expect(abs((fence.value?.circle.radius ?? 0) - (units == .metric ? 75.5 : 23.0124)) < 0.001)
  }
}
