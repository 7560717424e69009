public import LocationKit

/// An object at a place on a map. MapKit's `MKAnnotation`.
@MainActor
public protocol Annotation: AnyObject, Sendable {
  /// The place.
  var coordinate: LocationCoordinate2D { get }

  /// The name shown to the user.
  var title: String? { get }

  /// Further text shown to the user.
  var subtitle: String? { get }
}

extension Annotation {
  /// `nil`.
  public var title: String? { nil }

  /// `nil`.
  public var subtitle: String? { nil }
}

/// An object with a title and a place. MapKit's `MKShape`.
@MainActor
open class Shape: Annotation {
  /// The name shown to the user.
  open var title: String?

  /// Further text shown to the user.
  open var subtitle: String?

  /// The place; the centre of an overlay.
  open var coordinate: LocationCoordinate2D { LocationCoordinate2D(latitude: 0, longitude: 0) }

  /// Creates a shape, for a subclass.
  public init() {}
}

/// A place with a title. MapKit's `MKPointAnnotation`.
open class PointAnnotation: Shape {
  private var place: LocationCoordinate2D

  /// Creates an annotation at latitude and longitude 0. Set its coordinate afterwards.
  public override init() {
    place = LocationCoordinate2D(latitude: 0, longitude: 0)
    super.init()
  }

  /// Creates an annotation.
  public init(coordinate: LocationCoordinate2D, title: String? = nil, subtitle: String? = nil) {
    place = coordinate
    super.init()
    (self.title, self.subtitle) = (title, subtitle)
  }

  /// The place. Setting it moves the annotation.
  open override var coordinate: LocationCoordinate2D {
    get { place }
    set { place = newValue }
  }
}

/// The user's location on a map. MapKit's `MKUserLocation`.
@MainActor
public final class UserLocation: Annotation {
  /// The last location that the map received; `nil` before the first, and while the map does not show the user.
  public internal(set) var location: Location?

  /// Whether the location is current: `false` before the first one, and after the fix was lost.
  public internal(set) var isUpdating = false

  /// The coordinate of `location`; latitude and longitude 0 while that is `nil`.
  public var coordinate: LocationCoordinate2D {
    location?.coordinate ?? LocationCoordinate2D(latitude: 0, longitude: 0)
  }

  /// The name shown to the user, if any.
  public var title: String?

  init() {}
}

/// How a map follows the user. MapKit's `MKUserTrackingMode` without `followWithHeading`: north is always at the top.
public enum UserTrackingMode: Sendable, Hashable, Codable {
  /// The map does not follow the user.
  case none
  /// The map keeps the user in its centre.
  case follow
}
