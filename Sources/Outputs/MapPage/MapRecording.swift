public import LocationKit

/// A recording as a whole, as the page shows it in place of what is live: its way, its figures in words, and its places.
public struct MapRecording: Sendable {
  /// A place that is marked on the map.
  public struct Place: Sendable, Hashable {
    /// What is there.
    public enum Kind: String, Sendable {
      case start, stop, end
    }

    /// What is there.
    public var kind: Kind
    /// What stands on the mark, such as the number of a stop.
    public var name: String
    /// Where it is.
    public var coordinate: LocationCoordinate2D

    /// Creates a place.
    public init(_ kind: Kind, name: String, coordinate: LocationCoordinate2D) {
      (self.kind, self.name, self.coordinate) = (kind, name, coordinate)
    }
  }

  /// The way.
  public var trail: TrailLine
  /// The figures by name, in the order in which the page shows them.
  public var figures: [(name: String, value: String)]
  /// The places, in the order of the recording.
  public var places: [Place]

  /// Creates a recording.
  public init(trail: TrailLine, figures: [(name: String, value: String)], places: [Place]) {
    (self.trail, self.figures, self.places) = (trail, figures, places)
  }
}
