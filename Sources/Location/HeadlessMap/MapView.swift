public import LocationKit

/// A map without a screen: it knows which region it shows, and calls its delegate when that changes. MapKit's `MKMapView`.
///
///     let mapView = MapView()
///     mapView.delegate = self
///     mapView.region = CoordinateRegion(center: home, latitudinalMeters: 10_000, longitudinalMeters: 10_000)
///     mapView.centerCoordinate = location.coordinate
///
/// A region is taken as it is given, where MapKit fits it to the screen: there is no screen whose proportions a
/// region would have to have. `regionThatFits(_:)` is what MapKit would make of it.
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
  open func setRegion(_ region: CoordinateRegion, animated: Bool) {
    guard region.isValid else { return }
    guard let delegate else { return shown = region }
    delegate.mapView(self, regionWillChangeAnimated: animated)
    shown = region
    delegate.mapViewDidChangeVisibleRegion(self)
    delegate.mapView(self, regionDidChangeAnimated: animated)
  }

  /// Shows another place and keeps the span in degrees.
  open func setCenter(_ center: LocationCoordinate2D, animated: Bool) {
    setRegion(CoordinateRegion(center: center, span: shown.span), animated: animated)
  }

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
