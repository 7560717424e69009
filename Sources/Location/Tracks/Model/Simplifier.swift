public import LocationKit

/// Leaves out fixes that a line through the others comes close to.
public struct Simplifier: Sendable {
  private let tolerance: LocationDistance

  /// Creates a simplifier; the tolerance is in metres.
  public init(tolerance: LocationDistance) {
    self.tolerance = tolerance
  }

  /// Takes the next event and hands on what is certain by now. Gaps and the fixes beside them always stay.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    emit(event)
  }

  /// Ends the track: hands on its last fix.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {}
}

/// A whole track in bounded memory, for a picture: simplified as coarsely as the limit makes necessary.
public struct TrackSketch: Sendable {
  /// The events that are kept.
  public private(set) var events: [TrackEvent] = []
  /// Metres by which the kept line may be off a fix that was left out.
  public private(set) var tolerance: LocationDistance

  /// Creates a sketch of at most `limit` events, more only where there are more gaps.
  public init(tolerance: LocationDistance = 0.5, limit: Int = 20_000) {
    self.tolerance = tolerance
  }

  /// Takes the next event.
  public mutating func add(_ event: TrackEvent) {
    events.append(event)
  }

  /// Ends the track; `events` and `tolerance` are final then.
  public mutating func finish() {}
}
