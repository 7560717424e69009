import Serving
import HeadlessMap
import Journal
import LocationKit
import MapPage
import Writing
import Platform
import Records
import Rx
import RxBinding
import RxLocation
import SystemPackage
import TrackDocuments
import Tracks

@MainActor
final class MapOutput: ReceiverOutput {
  let page: MapPage
  private let server: HTTPServer
  private let isExact: Bool
  private let onNotice: OutputNotice.Handler
  /// The journal with the trail of earlier runs.
  private let earlierJournal: String?
  private let satellites = SerialDisposable()
  /// Measures the current trip while the page has a viewer.
  private var tripMeter: TripMeter?
  private let bag = DisposeBag()

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.map }

  init?(_ outputs: Outputs, _ settings: Settings) async throws(CommandError) {
    let map = settings.map
    guard let address = map.address else { return nil }
    (isExact, onNotice) = (settings.privacy.map.isExact, outputs.onNotice)
    // The past in the journal is exact, so a page with another policy does not show it.
    let journal = isExact ? settings.outputs.journal?.path : nil
    // The journal may have this recording from an earlier replay, so a replay does not show its trail.
    earlierJournal = outputs.isReplay ? nil : journal
    var configuration = try map.configuration(
      source: outputs.name, kind: outputs.isReplay ? .replay : .gpsd, onNotice: onNotice)
    configuration.replay = outputs.replay
    configuration.history = journal.map { JournalHistory(path: $0) }
    let network = try outputs.networkLoop()
    page = MapPage(on: network, configuration)
    server = try await map.serve(
      page.routes, help: page.help, on: network, at: address, showing: "the receiver is", onNotice: onNotice)
    outputs.places.append("map \(server.url(at: address))")
    satellites.disposed(by: bag)
  }

  func bind(to pipeline: PipelineView) {
    let (page, mapView) = (page, pipeline.mapView)
    mapView.rx.setDelegate(page).disposed(by: bag)
    mapView.showsUserLocation = true
    mapView.addOverlay(page.trail)

    pipeline.locations
      .bind(to: Binder(self) { output, locations in output.show(locations, on: mapView) })
      .disposed(by: bag)
    pipeline.losses
      .bind(with: self) { output, loss in
        output.page.show(.lost(loss))
        output.tripMeter?.add(nil)
      }
      .disposed(by: bag)
    pipeline.hidden.bind(to: Binder(page) { page, _ in page.showHidden() }).disposed(by: bag)
    pipeline.sourceStatuses.bind(to: Binder(page) { $0.show($1) }).disposed(by: bag)
    pipeline.regionStates.bind(to: Binder(page) { $0.show($1.state, of: $1.region) }).disposed(by: bag)
    pipeline.fences.bind(to: Binder(self) { output, fences in output.show(fences, on: mapView) }).disposed(by: bag)
    page.onAudience = { [weak self, updates = pipeline.satellites] hasAudience in
      self?.setAudience(hasAudience, updates)
    }
    if let earlierJournal { showTrail(from: earlierJournal) }
  }

  /// Shows the trail of earlier runs before that of this run. A thread of its own reads it, because a day takes a while.
  private func showTrail(from journal: String) {
    let fail = { @Sendable [onNotice] (reason: String) in
      onNotice(OutputNotice(.warning, "map page: no trail: \(reason)"))
    }
    do throws(Errno) {
      try Thread.start { [page] in
        do throws(JournalError) {
          var trail = TrailLine()
          // A day at 10 Hz, and some more for crossings and errors.
          try JournalReader(path: journal).forEachLocation(.track, inNewest: 1_000_000) { location in
            if let location { trail.append(location) } else { trail.interrupt() }
            return true
          }
          Task { @MainActor [trail] in page.show(earlier: trail) }
        } catch {
          fail(error.message)
        }
      }
    } catch {
      fail(error.description)
    }
  }

  /// Values that only the page shows are followed only while the page has a viewer.
  private func setAudience(_ hasAudience: Bool, _ updates: Observable<[Satellite]>) {
    satellites.disposable = hasAudience ? updates.bind(to: Binder(page) { $0.show($1) }) : Disposables.create()
    tripMeter = hasAudience ? TripMeter(page.trail) : nil
    showTrip()
  }

  private func showTrip() {
    // Positions that a policy has changed say nothing about the receiver's accuracy.
    page.show(tripMeter?.trip, isExact ? tripMeter?.stop : nil)
  }

  private func show(_ locations: [Location], on mapView: MapView) {
    if tripMeter != nil {
      for location in locations { tripMeter?.add(location) }
      // The next location also updates the page.
      showTrip()
    }
    mapView.updateUserLocation(locations.last)
  }

  private func show(_ fences: [Region], on mapView: MapView) {
    let circles = mapView.overlays.compactMap { $0 as? RegionCircle }
    mapView.removeOverlays(circles.filter { !fences.contains($0.region) })
    let new = Set(fences).subtracting(circles.map(\.region)).sorted { $0.identifier < $1.identifier }
    mapView.addOverlays(new.map { RegionCircle($0) })
  }

  func close() async { await server.shutdown() }
}

/// Measures the current trip and stop by `track`'s definitions: a trip began with the trail, or at the end of the last stop.
@MainActor
struct TripMeter {
  private var summarizer = TrackSummarizer()

  init(_ trail: Trail) { trail.forEachLocation { add($0) } }

  var trip: Trip? { summarizer.currentTrip }

  var stop: StopAccuracy? { summarizer.currentStop?.accuracy }

  mutating func add(_ location: Location?) {
    summarizer.add(location.map { .fix($0) } ?? .gap)
    // Finished parts are not needed here, and would grow for months.
    summarizer.parts = []
  }
}

/// Recordings from the journal for a day or another period on the map page.
struct JournalHistory: MapHistory {
  let path: String

  /// The greatest size of a document in bytes, which is in memory while a browser downloads it.
  private static let documentLimit = 64 << 20

  /// The track, statistics and places of a period, computed as in `track`. Waits for the disk.
  func recording(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> MapRecording {
    var drawing = TrackDrawing(settings: TrackSettings())
    var isEmpty = true
    try forEachEvent(of: period, .track, while: goesOn) { event in
      if case .fix = event { isEmpty = false }
      drawing.add(event)
      return true
    }
    guard !isEmpty else { return MapRecording() }
    let zone = TrackTimeZone { time in
      let change = period.clock.change(at: time)
      return (change.offset, change.name)
    }
    return drawing.recording("", zone)
  }

  /// The locations of a period as GPX. Waits for the disk.
  func document(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> [UInt8] {
    var writer = TrackFormat.gpx.makeWriter(name: "")
    var buffer = RecordBuffer()
    writer.begin(to: &buffer)
    try forEachEvent(of: period, .whole, while: goesOn) { event in
      writer.append(event, to: &buffer)
      return buffer.count <= Self.documentLimit
    }
    guard buffer.count <= Self.documentLimit else {
      throw MapHistoryError("too long for a download; choose a shorter period")
    }
    var summarizer = TrackSummarizer()
    writer.end(TrackReport(name: "", summary: summarizer.finish()), to: &buffer)
    return buffer.withUnsafeBytes { Array($0) }
  }

  /// The quarters of an hour since 1970 with a location. Waits for the disk.
  func quarters(while goesOn: () -> Bool) throws(MapHistoryError) -> [Int64] {
    do throws(JournalError) {
      return try JournalReader(path: path).quarters(while: goesOn)
    } catch {
      throw MapHistoryError(error.message)
    }
  }

  /// Calls `body` for the fixes and gaps of a period until it returns false.
  private func forEachEvent(
    of period: MapPeriod, _ detail: LocationDetail, while goesOn: () -> Bool, _ body: (TrackEvent) -> Bool
  ) throws(MapHistoryError) {
    var gaps = GapFinder()
    var isWanted = true
    do throws(JournalError) {
      try JournalReader(path: path).forEachLocation(detail, since: period.since, until: period.until, while: goesOn) {
        location in
        gaps.add(location.map { .fix($0) } ?? .gap) { isWanted = body($0) && isWanted }
        return isWanted
      }
    } catch {
      throw MapHistoryError(error.message)
    }
    gaps.finish { _ = body($0) }
  }
}
