public import LocationKit

/// A whole track in bounded memory, for a picture: simplified as coarsely as the limit makes necessary.
public struct TrackSketch: Sendable {
  /// The events that are kept.
  public private(set) var events: [TrackEvent] = []
  /// Metres by which the kept line may be off a fix that was left out. It grows whenever the limit is reached.
  public private(set) var tolerance: LocationDistance

  private var limit: Int
  private var simplifier: Simplifier
  /// Metres that the last pass allowed.
  private var step: LocationDistance

  /// Creates a sketch.
  ///
  /// - Parameters:
  ///   - tolerance: Metres to begin with, above 0.
  ///   - limit: How many events are kept. There may be more where the gaps alone are more than half as many.
  public init(tolerance: LocationDistance = 0.5, limit: Int = 20_000) {
    self.tolerance = tolerance
    self.limit = max(2, limit)
    step = tolerance
    simplifier = Simplifier(tolerance: tolerance)
  }

  /// Takes the next event.
  public mutating func add(_ event: TrackEvent) {
    simplifier.add(event) { events.append($0) }
    if events.count >= limit { coarsen() }
  }

  /// Ends the track; `events` and `tolerance` are final then.
  public mutating func finish() {
    simplifier.finish { events.append($0) }
  }

  /// Simplifies what is kept once more, with twice the tolerance, until it is half as long.
  private mutating func coarsen() {
    let goal = limit / 2
    while events.count > goal, step < 1e7 {
      step *= 2
      tolerance += step
      var kept: [TrackEvent] = []
      var pass = Simplifier(tolerance: step)
      for event in events { pass.add(event) { kept.append($0) } }
      pass.finish { kept.append($0) }
      events = kept
    }
    // Gaps stay, so there may be nothing left to leave out.
    limit = max(limit, 2 * events.count)
    var next = Simplifier(tolerance: step)
    // The line under way begins at the last fix that is kept.
    if let last = events.last { next.add(last) { _ in } }
    simplifier.finish { next.add($0) { _ in } }
    simplifier = next
  }
}
