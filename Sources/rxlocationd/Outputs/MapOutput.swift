import HTTP
import HeadlessMap
import LocationKit
import MapPage
import Output
import Rx
import RxLocation

/// The live map page.
@MainActor
final class MapOutput: ReceiverOutput {
  let page: MapPage
  private let server: HTTPServer
  private let staleAfter: Double
  private let onNotice: OutputNotice.Handler
  /// The journal with the trail of earlier runs.
  private let earlierJournal: String?
  private let satellites = SerialDisposable()
  /// Measures the current trip while the page has a viewer.
  private var tripMeter: TripMeter?
  private let bag = DisposeBag()

  private init(_ page: MapPage, _ server: HTTPServer, _ outputs: Outputs, _ settings: Settings) {
    (self.page, self.server, onNotice) = (page, server, outputs.onNotice)
    staleAfter = settings.watch.staleAfter
    // The journal may have this recording from an earlier replay, so a replay does not show its trail.
    earlierJournal = outputs.isReplay ? nil : settings.outputs.journal?.path
    satellites.disposed(by: bag)
  }

  static func open(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) -> MapOutput? {
    let map = settings.map
    guard let address = map.address else { return nil }
    var configuration = try map.configuration(source: outputs.name, kind: outputs.isReplay ? .replay : .gpsd)
    if let journal = settings.outputs.journal?.path {
      configuration.history = JournalHistory(path: journal).recording(of:while:)
    }
    let network = try outputs.networkLoop()
    let page = MapPage(on: network, configuration)
    let server = try await map.serve(
      page.routes, help: page.help, on: network, at: address, showing: "the receiver is", onNotice: outputs.onNotice)
    return MapOutput(page, server, outputs, settings)
  }

  /// Shows the map with the user, the trail and the fences, and the manager's other values in the page's panel.
  func bind(to pipeline: Pipeline) {
    let (page, mapView, locationManager) = (page, pipeline.mapView, pipeline.locationManager)
    mapView.rx.setDelegate(page).disposed(by: bag)
    mapView.showsUserLocation = true
    mapView.addOverlay(page.trail)
    page.setStaleAfter(staleAfter)

    let rx = locationManager.rx
    rx.didUpdateLocations
      .bind(to: Binder(self) { output, locations in output.show(locations, on: mapView) })
      .disposed(by: bag)
    rx.didChangeFixState.bind(to: page.rx.fixState).disposed(by: bag)
    rx.didChangeFixState
      .filter { $0.loss != nil }
      .bind(to: Binder(self) { output, _ in output.tripMeter?.add(nil) })
      .disposed(by: bag)
    rx.didChangeSourceStatus.bind(to: page.rx.sourceStatus).disposed(by: bag)
    rx.didDetermineState.bind(to: page.rx.fenceState).disposed(by: bag)
    pipeline.fences
      .bind(to: Binder(self) { output, fences in output.show(fences, on: mapView) })
      .disposed(by: bag)
    page.onAudience = { [weak self, updates = pipeline.satellites] isThere in
      self?.setAudience(isThere, updates)
    }
    if let earlierJournal {
      JournalTrail.show(on: page, fromJournal: earlierJournal) { [onNotice] failure in
        onNotice(OutputNotice(.warning, "map page: no trail: \(failure)"))
      }
    }
  }

  /// Values that only the page shows are followed only while the page has a viewer.
  private func setAudience(_ isThere: Bool, _ updates: Observable<[Satellite]>) {
    satellites.disposable = isThere ? updates.bind(to: page.rx.satellites) : Disposables.create()
    tripMeter = isThere ? TripMeter(page.trail) : nil
    page.show(tripMeter?.trip)
  }

  private func show(_ locations: [Location], on mapView: MapView) {
    if tripMeter != nil {
      for location in locations { tripMeter?.add(location) }
      // The next location also updates the page.
      page.show(tripMeter?.trip)
    }
    mapView.updateUserLocation(locations.last)
  }

  /// Shows the fences as circles on the map; unchanged fences are not drawn again.
  private func show(_ fences: [CircularRegion], on mapView: MapView) {
    let circles = mapView.overlays.compactMap { $0 as? RegionCircle }
    mapView.removeOverlays(circles.filter { !fences.contains($0.region) })
    let new = Set(fences).subtracting(circles.map(\.region)).sorted { $0.identifier < $1.identifier }
    mapView.addOverlays(new.map { RegionCircle($0) })
  }

  func reload(_ settings: Settings) { page.setStaleAfter(settings.watch.staleAfter) }

  func close() async { await server.shutdown() }
}
