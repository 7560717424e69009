import Foundation
import HeadlessMap
import LocationKit
import Rx
import RxBinding
import RxLocation
import TestSupport
import Testing

@MainActor @Suite(.inTurn) struct MapContentRxTests {
  private let map = MapView()

  private func location(_ latitude: Double) -> Location { Location(latitude: latitude, longitude: 0) }
  private func point(_ latitude: Double) -> PointAnnotation {
    PointAnnotation(coordinate: location(latitude).coordinate)
  }
  private func circle(_ latitude: Double) -> Circle { Circle(center: location(latitude).coordinate, radius: 5) }

  @Test func everyMethodIsForwardedAndObservedInOrder() {
    let reader = MapReader()
    map.delegate = reader
    var order: [String] = []
    reader.onCall = { order.append($0) }
    let streams = [
      map.rx.didUpdateUserLocation.map { user in "rx \(MainActor.assumeIsolated { user.isUpdating })" },
      map.rx.didChangeUserTrackingMode.map { "rx \($0)" },
      map.rx.didAddAnnotations.map { "rx annotations +\($0.count)" },
      map.rx.didRemoveAnnotations.map { "rx annotations -\($0.count)" },
      map.rx.didAddOverlays.map { "rx overlays +\($0.count)" },
      map.rx.didRemoveOverlays.map { "rx overlays -\($0.count)" },
      map.rx.didSelectAnnotation.map { _ in "rx select" },
      map.rx.didDeselectAnnotation.map { _ in "rx deselect" },
    ].map { StreamLog($0) { order.append($0) } }
    map.showsUserLocation = true
    map.updateUserLocation(location(3))
    map.updateUserLocation(nil)
    map.setUserTrackingMode(.follow, animated: true)
    let point = point(1)
    map.addAnnotation(point)
    map.selectAnnotation(point, animated: false)
    map.deselectAnnotation(point, animated: false)
    map.removeAnnotation(point)
    let circle = circle(1)
    map.addOverlay(circle)
    map.removeOverlay(circle)
    #expect(
      order == [
        "user 3.0 true", "rx true", "user 3.0 false", "rx false", "follow true", "rx follow", "will true", "visible",
        "did true", "annotations +1", "rx annotations +1", "select", "rx select", "deselect", "rx deselect",
        "annotations -1", "rx annotations -1", "overlays +1", "rx overlays +1", "overlays -1", "rx overlays -1",
      ])
    withExtendedLifetime(streams) {}
  }

  @Test func everyMethodOfTheProtocolIsAmongThem() throws {
    // Each has a default implementation, so the compiler does not tell of one that the proxy lacks.
    let file = Checkout.file("Sources/Location/HeadlessMap/MapViewDelegate.swift")
    let declaration = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "}" }
    // Three are of the region.
    #expect(declaration.components(separatedBy: "\n  func ").count - 1 == 3 + 8)
  }

  @Test func whatIsBoundIsShown() {
    let bag = DisposeBag()
    let locations = PublishRelay<Location?>()
    let circles = PublishRelay<[any Overlay]>()
    let points = PublishRelay<[any Annotation]>()
    let mode = PublishRelay<UserTrackingMode>()
    locations.bind(to: map.rx.userLocation).disposed(by: bag)
    circles.bind(to: map.rx.overlays).disposed(by: bag)
    points.bind(to: map.rx.annotations).disposed(by: bag)
    mode.bind(to: map.rx.userTrackingMode).disposed(by: bag)
    Observable.just(true).bind(to: map.rx.showsUserLocation).disposed(by: bag)

    mode.accept(.follow)
    locations.accept(location(7))
    #expect(map.userLocation.location == location(7) && map.centerCoordinate.latitude == 7)
    let (one, two) = (circle(1), circle(2))
    circles.accept([one])
    circles.accept([one, two])
    #expect(map.overlays.map { $0.coordinate.latitude } == [1, 2])
    circles.accept([two])
    #expect(map.overlays.count == 1 && map.overlays[0] === two)
    points.accept([point(1)])
    points.accept([point(2)])
    #expect(map.annotations.map(\.coordinate.latitude) == [2])
  }

  @Test func whatStaysBoundIsNeitherRemovedNorAddedAgain() {
    let bag = DisposeBag()
    let points = PublishRelay<[any Annotation]>()
    points.bind(to: map.rx.annotations).disposed(by: bag)
    let added = StreamLog(map.rx.didAddAnnotations.map { $0.count })
    let removed = StreamLog(map.rx.didRemoveAnnotations.map { $0.count })
    let (one, two) = (point(1), point(2))
    points.accept([one])
    points.accept([one, two])
    #expect(added.elements == [1, 1] && removed.elements.isEmpty)
    points.accept([two])
    #expect(removed.elements == [1] && map.annotations.count == 1)
  }

  @Test func aDelegateBesidesTheStreamsIsNotKept() {
    weak var gone: MapReader?
    do {
      let reader = MapReader()
      gone = reader
      let subscription = map.rx.setDelegate(reader)
      map.userTrackingMode = .follow
      withExtendedLifetime(subscription) {}
    }
    #expect(gone == nil)
  }

  @Test func theTrackingModeIsThatOfTheMapWhoeverChangesIt() {
    map.userTrackingMode = .follow
    let log = StreamLog(map.rx.userTrackingMode)
    map.region = .world
    // A mode that is told twice is one element.
    for _ in 0..<2 { map.delegate?.mapView(map, didChange: .follow, animated: false) }
    #expect(log.elements == [.follow, .none, .follow])
  }
}
