public import LocationKit

/// Something that stands at a place of a map. MapKit's `MKAnnotation`.
@MainActor
public protocol Annotation: AnyObject, Sendable {
  /// The place.
  var coordinate: LocationCoordinate2D { get }

  /// What a person calls it.
  var title: String? { get }

  /// What else there is to say.
  var subtitle: String? { get }
}

extension Annotation {
  /// None.
  public var title: String? { nil }

  /// None.
  public var subtitle: String? { nil }
}

/// What has a title and a place. MapKit's `MKShape`.
@MainActor
open class Shape: Annotation {
  /// What a person calls it.
  open var title: String?

  /// What else there is to say.
  open var subtitle: String?

  /// The place; of an overlay, its middle.
  open var coordinate: LocationCoordinate2D { LocationCoordinate2D(latitude: 0, longitude: 0) }

  /// Creates a shape, for a subclass.
  public init() {}
}

/// A place with a title. MapKit's `MKPointAnnotation`.
open class PointAnnotation: Shape {
  private var place: LocationCoordinate2D

  /// Creates an annotation at latitude and longitude 0, for its coordinate to be set.
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

  /// The place; it may be moved.
  open override var coordinate: LocationCoordinate2D {
    get { place }
    set { place = newValue }
  }
}

/// Where the user is, as a map shows it. MapKit's `MKUserLocation`.
@MainActor
public final class UserLocation: Annotation {
  /// The last location that the map was given; `nil` before the first, and while the map does not show it.
  public internal(set) var location: Location?

  /// Whether the location still is where the user is: `false` before the first, and when the fix was lost since.
  public internal(set) var isUpdating = false

  /// The location's place, and that of latitude and longitude 0 while there is none: ask for `location`.
  public var coordinate: LocationCoordinate2D {
    location?.coordinate ?? LocationCoordinate2D(latitude: 0, longitude: 0)
  }

  /// What a person calls it; `nil` says nothing of the kind.
  public var title: String?

  init() {}
}

/// How a map follows the user. MapKit's `MKUserTrackingMode`, without `followWithHeading`: this map has north at its top.
public enum UserTrackingMode: Sendable, Hashable, Codable {
  /// Not at all.
  case none
  /// The user stays in the middle.
  case follow

  /// Refused.
  @available(
    *, unavailable, message: "north is at the top of this map; use follow, and turn what you draw by the heading"
  )
  public static var followWithHeading: UserTrackingMode { .follow }
}
