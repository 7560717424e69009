public import LocationKit

/// A map without a screen: it knows which region it shows, and tells its delegate. MapKit's `MKMapView`.
@MainActor
open class MapView {
  /// Who is called. Held weakly, as MapKit does.
  open weak var delegate: (any MapViewDelegate)? {
    didSet { delegateDidChange?() }
  }

  /// Called after somebody has set `delegate`, for a delegate proxy that must know when it is replaced. It is
  /// not called when a delegate is released and `delegate` becomes `nil` by itself. Not MapKit's.
  public var delegateDidChange: (@MainActor () -> Void)?

  /// What other modules keep with this map, a delegate proxy for one. Not MapKit's.
  public let associatedObjects = AssociatedObjects()

  /// The extent of the viewport, for `regionThatFits(_:)`; a square until it is set.
  open var size: MapSize

  private var storedRegion = CoordinateRegion.world

  /// Creates a map that shows the whole earth.
  public init(size: MapSize = MapSize(width: 1024, height: 1024)) {
    self.size = size
  }

  /// What the map shows. Setting it is `setRegion(_:animated:)` without animation.
  open var region: CoordinateRegion {
    get { storedRegion }
    set { setRegion(newValue, animated: false) }
  }

  /// The middle of what the map shows. Setting it keeps the span.
  open var centerCoordinate: LocationCoordinate2D {
    get { storedRegion.center }
    set { setCenter(newValue, animated: false) }
  }

  /// Shows another region, in one step: `animated` is only passed on to the delegate.
  open func setRegion(_ region: CoordinateRegion, animated: Bool) {
    guard region.isValid else { return }
    let delegate = delegate
    delegate?.mapView(self, regionWillChangeAnimated: animated)
    storedRegion = region
    delegate?.mapViewDidChangeVisibleRegion(self)
    delegate?.mapView(self, regionDidChangeAnimated: animated)
  }

  /// Shows another place and keeps the span.
  open func setCenter(_ center: LocationCoordinate2D, animated: Bool) {
    setRegion(CoordinateRegion(center: center, span: storedRegion.span), animated: animated)
  }

  /// The smallest region with the same centre that contains `region` and has the viewport's proportions.
  open func regionThatFits(_ region: CoordinateRegion) -> CoordinateRegion {
    region
  }
}
