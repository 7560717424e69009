import ArgumentParser
import Foundation
import HeadlessMap
import LocationKit
import Publishing
import Rx
import RxBinding
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct PipelineViewTests {
  private let source = SimulatedLocationSource(clock: VirtualClock())
  private let home = Region(center: .init(latitude: 48, longitude: 11), radius: 50, identifier: "home")
  private let bag = DisposeBag()

  private func pipeline() throws -> Pipeline {
    Pipeline(
      source: source,
      settings: try Settings.parse(["--fence", "home=48,11,50", "--fence", "work=48.1,11,50", "--span", "2000"]))
  }

  private var hiding: PrivacyPolicy {
    PrivacyPolicy(hiding: [HiddenZone(around: home.circle, distance: 0.5, bearing: 0.5)])
  }

  private func send(_ latitude: Double, at seconds: Double) {
    source.send(
      .location(
        Location(
          coordinate: .init(latitude: latitude, longitude: 11), altitude: 500,
          timestamp: Date(timeIntervalSince1970: seconds))))
  }

  private func log(_ view: PipelineView) -> Recorder<String> {
    let log = Recorder<String>()
    view.locations.subscribe(onNext: { for location in $0 { log.record("\(location.coordinate.latitude)") } })
      .disposed(by: bag)
    view.errors.subscribe(onNext: { log.record($0.message) }).disposed(by: bag)
    view.losses.subscribe(onNext: { log.record("loss \($0.location?.coordinate.latitude ?? 0)") }).disposed(by: bag)
    view.hidden.subscribe(onNext: { log.record("hidden") }).disposed(by: bag)
    view.regionStates.subscribe(onNext: { log.record("\($0.region.identifier) is \($0.state)") }).disposed(by: bag)
    view.fences.subscribe(onNext: { log.record("fences \($0.map(\.identifier))") }).disposed(by: bag)
    return log
  }

  @Test func destinationsOfAPolicyShareAView() throws {
    let pipeline = try pipeline()
    let exact = pipeline.view(for: .exact)
    #expect(pipeline.view(for: .exact) === exact)
    let hidden = pipeline.view(for: hiding)
    #expect(hidden !== exact && pipeline.view(for: hiding) === hidden)
  }

  /// A doubt says what the receiver does, which a cell does not.
  @Test func aCellHasNoDoubts() throws {
    let pipeline = try pipeline()
    let (exact, cell) = (Recorder<String>(), Recorder<String>())
    for (policy, log) in [(PrivacyPolicy.exact, exact), (PrivacyPolicy(grid: PrivacyGrid(metres: 1000)), cell)] {
      pipeline.view(for: policy).locations
        .subscribe(onNext: { log.record($0[0].doubts?.names ?? "") })
        .disposed(by: bag)
    }
    pipeline.start(knowing: [])
    for second in 0..<60 {
      (source.clock as? VirtualClock)?.advance(by: 1)
      source.send(
        .location(
          Location(
            coordinate: .init(latitude: 48, longitude: 11), horizontalAccuracy: 5, speed: 14,
            timestamp: Date(timeIntervalSince1970: Double(second)))))
    }
    #expect(exact.values.last == "standstill")
    #expect(Set(cell.values) == [""])
  }

  @Test func aHidingViewShowsNothingFromInside() throws {
    let pipeline = try pipeline()
    let view = pipeline.view(for: hiding)
    let (log, regions) = (log(view), Recorder<Double>())
    view.regionRecords.forEach { [map = view.mapView] _ in regions.record(map.region.center.latitude) }
    pipeline.start(knowing: [])
    send(48.1, at: 0)
    #expect(log.values.contains("hidden"))
    send(48.1, at: 30)
    send(48, at: 40)
    source.send(.noFix)
    send(48, at: 70)
    send(48, at: 75)
    send(48.1, at: 100)
    send(48.1, at: 120)
    let hiding = [PrivacyFilter.hiding.message, "loss 48.1", "hidden"]
    #expect(
      log.values == ["fences [\"work\"]", hiding[0], "loss 0.0", "hidden", "48.1", "work is inside"] + hiding + [
        "48.1"
      ],
      "\(log.values)")
    #expect(regions.values == [48.1, 48.1])
    // A command that moves the fence does not move the zone.
    #expect(
      pipeline.change([.set(CircularRegion(center: .init(latitude: 1, longitude: 1), radius: 5, identifier: "home"))])
        == 2)
    #expect(log.values.last == "fences [\"work\"]")
    send(48, at: 130)
    #expect(log.values.last == "fences [\"work\"]")
  }

  @Test func aGridShowsCellsAndNoFences() throws {
    let pipeline = try pipeline()
    let view = pipeline.view(for: PrivacyPolicy(grid: PrivacyGrid(metres: 1000)))
    let log = log(view)
    let satellites = view.satellites.subscribe(onNext: { _ in Issue.record("satellites") })
    pipeline.start(knowing: [])
    #expect(source.interests == .locations)
    for second in 0..<60 { send(48, at: Double(second)) }
    #expect(log.values.first == "fences []")
    #expect(log.values.count == 61 && Set(log.values).count == 2 && !log.values.contains("48.0"))
    source.send(.noFix)
    #expect(log.values.count == 63)
    satellites.dispose()
    // The span of a reload counts for this view, too.
    let width = view.mapView.region.span.latitudeDelta
    pipeline.apply(try Settings.parse(["--span", "4000"]))
    send(48, at: 61)
    #expect(abs(view.mapView.region.span.latitudeDelta / width - 2) < 0.01)
    #expect(view.mapView.region.center.latitude != 48)
  }

  @Test func satellitesEndWithTheHiding() throws {
    let pipeline = try pipeline()
    let view = pipeline.view(for: hiding)
    let counts = Recorder<Int>()
    view.satellites.subscribe(onNext: { counts.record($0.count) }).disposed(by: bag)
    pipeline.start(knowing: [])
    let satellite = Satellite(system: .gps, number: 1, isUsed: true)
    send(48.1, at: 0)
    send(48.1, at: 30)
    source.send(.satellites([satellite]))
    send(48, at: 31)
    source.send(.satellites([satellite, Satellite(system: .gps, number: 2)]))
    #expect(counts.values == [1, 0])
  }
}
