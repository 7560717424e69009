public import FoundationEssentials
public import LocationKit

/// A map without a screen: it knows which region it shows, where the user is and what is drawn on it, and calls its delegate
/// when that changes. MapKit's `MKMapView`.
///
///     let mapView = MapView()
///     mapView.delegate = self
///     mapView.region = CoordinateRegion(center: home, latitudinalMeters: 10_000, longitudinalMeters: 10_000)
///     mapView.centerCoordinate = location.coordinate
///
/// A region is taken as it is given, where MapKit fits it to the screen: there is no screen whose proportions a
/// region would have to have. `regionThatFits(_:)` is what MapKit would make of it.
///
/// The map asks nobody where the user is, where MapKit has a location manager of its own: `updateUserLocation(_:)` says so.
@MainActor
open class MapView {
  /// The delegate. Held weakly, as MapKit does.
  open weak var delegate: (any MapViewDelegate)? {
    didSet { delegateObserver?.delegateDidChange() }
  }

  /// What stands between the map and its delegate, a delegate proxy for one, and lives as long as the map. Not MapKit's.
  public var delegateObserver: (any DelegateObserver)?

  /// The extent of the viewport, for `regionThatFits(_:)`; a square until it is set.
  open var size: MapSize

  private var shown = CoordinateRegion.world

  /// When the location was that the map shows in its middle, by the receiver; `nil` when somebody else has set the region,
  /// and when the receiver gave no time. Not MapKit's.
  public private(set) var regionTimestamp: Date?

  /// Where the user is.
  public let userLocation = UserLocation()

  /// How the map follows the user. Setting it is `setUserTrackingMode(_:animated:)` without animation.
  open var userTrackingMode: UserTrackingMode {
    get { tracking }
    set { setUserTrackingMode(newValue, animated: false) }
  }

  private var tracking = UserTrackingMode.none

  /// Whether the map shows where the user is; `false` at first. A map that does not is not told, and follows nobody.
  open var showsUserLocation = false {
    didSet {
      guard oldValue, !showsUserLocation else { return }
      (userLocation.location, userLocation.isUpdating) = (nil, false)
      userTrackingMode = .none
    }
  }

  /// What stands on the map, in the order in which it was added.
  public private(set) var annotations: [any Annotation] = []

  private var selected: (any Annotation)?

  /// What covers parts of the map, in the order in which it was added.
  public private(set) var overlays: [any Overlay] = []

  /// Creates a map that shows the whole earth.
  public init(size: MapSize = MapSize(width: 1024, height: 1024)) {
    self.size = size
  }

  /// What the map shows. Setting it is `setRegion(_:animated:)` without animation.
  open var region: CoordinateRegion {
    get { shown }
    set { setRegion(newValue, animated: false) }
  }

  /// The middle of what the map shows. Setting it keeps the span.
  open var centerCoordinate: LocationCoordinate2D {
    get { shown.center }
    set { setCenter(newValue, animated: false) }
  }

  /// Shows another region, in one step: `animated` is only passed on to the delegate. The delegate is called each
  /// time, even if the region is the same as before.
  ///
  /// A region that is not valid is ignored, where MapKit raises an exception: the map goes on showing what it showed,
  /// and the delegate is not called. `CoordinateRegion.isValid` says so beforehand.
  ///
  /// It ends the following of the user, as in MapKit.
  open func setRegion(_ region: CoordinateRegion, animated: Bool) {
    setRegion(region, animated: animated, timestamp: nil)
  }

  private func setRegion(_ region: CoordinateRegion, animated: Bool, timestamp: Date?) {
    guard region.isValid else { return }
    show(region, animated: animated, timestamp: timestamp)
    setUserTrackingMode(.none, animated: animated)
  }

  private func show(_ region: CoordinateRegion, animated: Bool, timestamp: Date?) {
    let delegate = delegate
    delegate?.mapView(self, regionWillChangeAnimated: animated)
    shown = region
    regionTimestamp = timestamp
    guard let delegate else { return }
    delegate.mapViewDidChangeVisibleRegion(self)
    delegate.mapView(self, regionDidChangeAnimated: animated)
  }

  /// Shows another place and keeps the span in degrees.
  open func setCenter(_ center: LocationCoordinate2D, animated: Bool) {
    setRegion(CoordinateRegion(center: center, span: shown.span), animated: animated)
  }

  /// Shows a location in the middle of a region of that height and width, in metres, and remembers its time. Not MapKit's.
  open func setCenter(
    _ location: Location, latitudinalMeters: LocationDistance, longitudinalMeters: LocationDistance, animated: Bool
  ) {
    let region = CoordinateRegion(
      center: location.coordinate, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters)
    setRegion(region, animated: animated, timestamp: location.timestamp)
  }

  /// Follows the user or ceases to; the delegate hears of a change. To follow the user, the map shows where that is.
  open func setUserTrackingMode(_ mode: UserTrackingMode, animated: Bool) {
    guard mode != tracking else { return }
    tracking = mode
    if mode == .follow { showsUserLocation = true }
    delegate?.mapView(self, didChange: mode, animated: animated)
    centerOnUser(animated: animated)
  }

  private func centerOnUser(animated: Bool) {
    guard tracking == .follow, let location = userLocation.location else { return }
    let region = CoordinateRegion(center: location.coordinate, span: shown.span)
    if region.isValid { show(region, animated: animated, timestamp: location.timestamp) }
  }

  /// Shows where the user is, if the map shows the user at all, and has that in the middle if it follows the user. `nil`
  /// says that the fix is lost: the last location stays. The delegate hears of either.
  open func updateUserLocation(_ location: Location?) {
    guard showsUserLocation else { return }
    if let location { userLocation.location = location }
    userLocation.isUpdating = location != nil
    delegate?.mapView(self, didUpdate: userLocation)
    if location != nil { centerOnUser(animated: true) }
  }

  // MARK: Annotations and overlays

  /// Adds an annotation; one that is there already stays as it is.
  open func addAnnotation(_ annotation: any Annotation) {
    addAnnotations([annotation])
  }

  /// Adds annotations; the delegate hears of those that were not there.
  open func addAnnotations(_ new: [any Annotation]) {
    let new = new.filter { one in !annotations.contains { $0 === one } }
    guard !new.isEmpty else { return }
    annotations += new
    delegate?.mapView(self, didAdd: new)
  }

  /// Removes an annotation.
  open func removeAnnotation(_ annotation: any Annotation) {
    removeAnnotations([annotation])
  }

  /// Removes annotations; the delegate hears of those that were there. One that was selected is no longer.
  open func removeAnnotations(_ old: [any Annotation]) {
    let old = annotations.filter { one in old.contains { $0 === one } }
    guard !old.isEmpty else { return }
    annotations.removeAll { one in old.contains { $0 === one } }
    for one in old { deselectAnnotation(one, animated: false) }
    delegate?.mapView(self, didRemove: old)
  }

  /// Shows a region with all of some annotations in it, and adds those that are not on the map. Annotations whose places
  /// are not on the earth do not count for the region.
  open func showAnnotations(_ annotations: [any Annotation], animated: Bool) {
    addAnnotations(annotations)
    if let region = CoordinateRegion(around: annotations.map(\.coordinate)) { setRegion(region, animated: animated) }
  }

  /// The annotation that is selected, alone; empty for none. Of several that are set, the first is selected.
  open var selectedAnnotations: [any Annotation] {
    get { selected.map { [$0] } ?? [] }
    set {
      if let first = newValue.first {
        selectAnnotation(first, animated: false)
      } else {
        deselectAnnotation(selected, animated: false)
      }
    }
  }

  /// Selects an annotation of the map in the place of the one before; the delegate hears of both. One that is not on the map
  /// is ignored, and so is `animated`.
  open func selectAnnotation(_ annotation: any Annotation, animated: Bool) {
    guard selected !== annotation, annotations.contains(where: { $0 === annotation }) else { return }
    let previous = selected
    selected = annotation
    if let previous { delegate?.mapView(self, didDeselect: previous) }
    // The delegate may have selected another one, and has heard of that.
    if selected === annotation { delegate?.mapView(self, didSelect: annotation) }
  }

  /// Ends the selection of an annotation; the delegate hears of it. One that is not selected is ignored, and so is
  /// `animated`.
  open func deselectAnnotation(_ annotation: (any Annotation)?, animated: Bool) {
    guard let annotation, selected === annotation else { return }
    selected = nil
    delegate?.mapView(self, didDeselect: annotation)
  }

  /// Adds an overlay; one that is there already stays as it is.
  open func addOverlay(_ overlay: any Overlay) {
    addOverlays([overlay])
  }

  /// Adds overlays; the delegate hears of those that were not there.
  open func addOverlays(_ new: [any Overlay]) {
    let new = new.filter { one in !overlays.contains { $0 === one } }
    guard !new.isEmpty else { return }
    overlays += new
    delegate?.mapView(self, didAdd: new)
  }

  /// Removes an overlay.
  open func removeOverlay(_ overlay: any Overlay) {
    removeOverlays([overlay])
  }

  /// Removes overlays; the delegate hears of those that were there.
  open func removeOverlays(_ old: [any Overlay]) {
    let old = overlays.filter { one in old.contains { $0 === one } }
    guard !old.isEmpty else { return }
    overlays.removeAll { one in old.contains { $0 === one } }
    delegate?.mapView(self, didRemove: old)
  }

  // MARK: Proportions

  /// Refused.
  @available(*, unavailable, message: "this map counts in degrees; use region, and setRegion(_:animated:)")
  public var visibleMapRect: CoordinateRegion { region }

  /// Refused.
  @available(*, unavailable, message: "this map counts in degrees; use setRegion(_:animated:)")
  public func setVisibleMapRect(_ mapRect: CoordinateRegion, animated: Bool) {}

  /// The smallest region with the same centre that contains `region` and has the proportions of `size` on a Mercator
  /// map, as MapKit's map is one. `region` itself when it or `size` is not valid.
  ///
  /// The world has an end: a region that would have to be wider than 360° is 360° wide, and one with an edge at a
  /// pole is not made higher, since Mercator's pole is infinitely far away.
  open func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
    region.fitted(to: size)
  }
}

/// The extent of a map's viewport in points; only the proportion of its sides has an effect.
public struct MapSize: Sendable, Hashable, Codable {
  /// Points from left to right.
  public var width: Double
  /// Points from top to bottom.
  public var height: Double

  /// Creates a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}
