public import LocationKit

/// Leaves out fixes that nobody can have reached.
public struct JumpFilter: Sendable {
  /// How many fixes were left out so far.
  public private(set) var jumpCount = 0
  private let maximumSpeed: LocationSpeed

  /// Creates a filter; the speed is in metres per second.
  public init(maximumSpeed: LocationSpeed) {
    self.maximumSpeed = maximumSpeed
  }

  /// Takes the next event and hands on what is certain by now.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    emit(event)
  }

  /// Ends the track: hands on what was held back.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {}
}
