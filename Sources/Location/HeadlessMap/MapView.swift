public import FoundationEssentials
public import LocationKit

/// A map without a screen. It knows the region that it shows, the user's location, its annotations and its overlays,
/// and calls its delegate when they change. MapKit's `MKMapView`.
///
///     let mapView = MapView()
///     mapView.delegate = self
///     mapView.region = CoordinateRegion(center: home, latitudinalMeters: 10_000, longitudinalMeters: 10_000)
///     mapView.centerCoordinate = location.coordinate
///
/// MapKit fits a region to the proportions of the screen. This map has no screen and keeps a region as it is given;
/// `regionThatFits(_:)` returns what MapKit would show.
///
/// MapKit's map has a location manager of its own. This map receives the user's location by `updateUserLocation(_:)`.
@MainActor
open class MapView: DelegateObservable {
  /// The delegate, held weakly as in MapKit.
  open weak var delegate: (any MapViewDelegate)? { didSet { delegateObserver?.delegateDidChange() } }

  /// An object between the map and its delegate, such as a delegate proxy. The map holds it strongly. Not MapKit's.
  public var delegateObserver: (any DelegateObserver)?

  /// The size of the viewport, for `regionThatFits(_:)`. The default is a square.
  open var size: MapSize

  private var shown = CoordinateRegion.world

  /// The receiver's time of the location in the centre; `nil` if the region was not set from a location, or the
  /// receiver gave no time. Not MapKit's.
  public private(set) var regionTimestamp: Date?

  /// The user's location.
  public let userLocation = UserLocation()

  /// How the map follows the user. Setting it is `setUserTrackingMode(_:animated:)` without animation.
  open var userTrackingMode: UserTrackingMode {
    get { tracking }
    set { setUserTrackingMode(newValue, animated: false) }
  }

  private var tracking = UserTrackingMode.none

  /// Whether the map shows the user's location; `false` at first. While it is `false`, the map ignores
  /// `updateUserLocation(_:)`. Setting it to `false` also ends the following.
  open var showsUserLocation = false {
    didSet {
      guard oldValue, !showsUserLocation else { return }
      (userLocation.location, userLocation.isUpdating) = (nil, false)
      userTrackingMode = .none
    }
  }

  /// The annotations, in the order in which they were added.
  public private(set) var annotations: [any Annotation] = []

  private var selected: (any Annotation)?

  /// The overlays, in the order in which they were added.
  public private(set) var overlays: [any Overlay] = []

  /// Creates a map that shows the whole earth.
  public init(size: MapSize = MapSize(width: 1024, height: 1024)) { self.size = size }

  /// The region that the map shows. Setting it is `setRegion(_:animated:)` without animation.
  open var region: CoordinateRegion {
    get { shown }
    set { setRegion(newValue, animated: false) }
  }

  /// The centre of the region. Setting it keeps the span.
  open var centerCoordinate: LocationCoordinate2D {
    get { shown.center }
    set { setCenter(newValue, animated: false) }
  }

  /// Shows another region in one step; `animated` is only passed on to the delegate. The delegate is called even if the
  /// region is the same as before.
  ///
  /// MapKit raises an exception for a region that is not valid. This map ignores it and does not call the delegate;
  /// check `CoordinateRegion.isValid` beforehand.
  ///
  /// This ends the following of the user, as in MapKit.
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

  /// Moves the centre and keeps the span in degrees.
  open func setCenter(_ center: LocationCoordinate2D, animated: Bool) {
    setRegion(CoordinateRegion(center: center, span: shown.span), animated: animated)
  }

  /// Shows a location in the centre of a region of this height and width in metres, and keeps its time. Not MapKit's.
  open func setCenter(
    _ location: Location, latitudinalMeters: LocationDistance, longitudinalMeters: LocationDistance, animated: Bool
  ) {
    let region = CoordinateRegion(
      center: location.coordinate, latitudinalMeters: latitudinalMeters, longitudinalMeters: longitudinalMeters)
    setRegion(region, animated: animated, timestamp: location.timestamp)
  }

  /// Starts or stops following the user, and tells the delegate of a change. Following also sets `showsUserLocation`.
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

  /// Updates the user's location, if the map shows it, and calls the delegate. A map that follows the user also moves
  /// its centre. `nil` means that the fix is lost; the last location stays.
  open func updateUserLocation(_ location: Location?) {
    guard showsUserLocation else { return }
    if let location { userLocation.location = location }
    userLocation.isUpdating = location != nil
    delegate?.mapView(self, didUpdate: userLocation)
    if location != nil { centerOnUser(animated: true) }
  }

  // MARK: Annotations and overlays

  /// Adds an annotation, unless the map already has it.
  open func addAnnotation(_ annotation: any Annotation) { addAnnotations([annotation]) }

  /// Adds the annotations that the map does not have yet, and passes those to the delegate.
  open func addAnnotations(_ new: [any Annotation]) {
    let new = new.filter { one in !annotations.contains { $0 === one } }
    guard !new.isEmpty else { return }
    annotations += new
    delegate?.mapView(self, didAdd: new)
  }

  /// Removes an annotation.
  open func removeAnnotation(_ annotation: any Annotation) { removeAnnotations([annotation]) }

  /// Removes the annotations that the map has, ends their selection, and passes them to the delegate.
  open func removeAnnotations(_ old: [any Annotation]) {
    let old = annotations.filter { one in old.contains { $0 === one } }
    guard !old.isEmpty else { return }
    annotations.removeAll { one in old.contains { $0 === one } }
    for one in old { deselectAnnotation(one, animated: false) }
    delegate?.mapView(self, didRemove: old)
  }

  /// Shows a region that contains all the annotations, and adds those that the map does not have. Annotations with
  /// invalid coordinates do not affect the region.
  open func showAnnotations(_ annotations: [any Annotation], animated: Bool) {
    addAnnotations(annotations)
    if let region = CoordinateRegion(around: annotations.map(\.coordinate)) { setRegion(region, animated: animated) }
  }

  /// The selected annotation, or an empty array. Setting several selects the first.
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

  /// Selects an annotation of the map instead of the previous one, and tells the delegate of both. An annotation that
  /// is not on the map is ignored. `animated` has no effect.
  open func selectAnnotation(_ annotation: any Annotation, animated: Bool) {
    guard selected !== annotation, annotations.contains(where: { $0 === annotation }) else { return }
    let previous = selected
    selected = annotation
    if let previous { delegate?.mapView(self, didDeselect: previous) }
    // The delegate may have selected another annotation in the meantime, and was told of it.
    if selected === annotation { delegate?.mapView(self, didSelect: annotation) }
  }

  /// Ends the selection of an annotation, and tells the delegate. An annotation that is not selected is ignored.
  /// `animated` has no effect.
  open func deselectAnnotation(_ annotation: (any Annotation)?, animated: Bool) {
    guard let annotation, selected === annotation else { return }
    selected = nil
    delegate?.mapView(self, didDeselect: annotation)
  }

  /// Adds an overlay, unless the map already has it.
  open func addOverlay(_ overlay: any Overlay) { addOverlays([overlay]) }

  /// Adds the overlays that the map does not have yet, and passes those to the delegate.
  open func addOverlays(_ new: [any Overlay]) {
    let new = new.filter { one in !overlays.contains { $0 === one } }
    guard !new.isEmpty else { return }
    overlays += new
    delegate?.mapView(self, didAdd: new)
  }

  /// Removes an overlay.
  open func removeOverlay(_ overlay: any Overlay) { removeOverlays([overlay]) }

  /// Removes the overlays that the map has, and passes them to the delegate.
  open func removeOverlays(_ old: [any Overlay]) {
    let old = overlays.filter { one in old.contains { $0 === one } }
    guard !old.isEmpty else { return }
    overlays.removeAll { one in old.contains { $0 === one } }
    delegate?.mapView(self, didRemove: old)
  }

  // MARK: Proportions

  /// Returns the smallest region with the same centre that contains `region` and has the proportions of `size` on a
  /// Mercator map, such as MapKit's. Returns `region` if it or `size` is not valid.
  ///
  /// The result is never wider than 360°. A region with an edge at a pole is not made higher, because Mercator's pole
  /// is infinitely far away.
  open func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
    let aspect = size.width / size.height
    guard region.isValid, aspect > 0, aspect < .infinity else { return region }
    let parallel = cosine(ofDegrees: region.center.latitude)
    var span = region.span
    let height = Mercator.height(ofLatitudes: span.latitudeDelta, at: parallel)
    let width = span.longitudeDelta * .pi / 180
    if width < height * aspect {
      span.longitudeDelta = min(360, height * aspect * 180 / .pi)
    } else {
      span.latitudeDelta = max(span.latitudeDelta, Mercator.latitudes(ofHeight: width / aspect, at: parallel))
    }
    return CoordinateRegion(center: region.center, span: span)
  }
}

/// The size of a map's viewport in points. Only its proportions have an effect.
public struct MapSize: Sendable, Hashable, Codable {
  /// The width in points.
  public var width: Double
  /// The height in points.
  public var height: Double

  /// Creates a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}
