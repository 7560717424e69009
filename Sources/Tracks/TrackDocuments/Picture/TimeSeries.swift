import FoundationEssentials

/// A quantity over time, in as many steps as a picture can show, in bounded memory.
///
/// Time is divided into steps; each holds the mean, the least and the greatest of its values. When there are too many
/// steps, their length is doubled.
struct TimeSeries {
  struct Step: Equatable {
    /// The index of the step, counted from the step of the first value.
    var index: Int
    var sum: Double
    var count: Int
    var least: Double
    var greatest: Double
    /// Whether there is a gap between the previous step and this one.
    var followsGap: Bool

    var mean: Double { sum / Double(count) }
  }

  private(set) var steps: [Step] = []
  /// Seconds.
  private(set) var width = 0.125
  /// Seconds since 1970 at which step 0 begins.
  private(set) var origin = 0.0
  private let limit: Int
  private var followsGap = true

  init(limit: Int = 4096) { self.limit = max(4, limit) }

  /// Adds a value. Values that are not finite are left out.
  mutating func add(_ value: Double, at time: Date) {
    let seconds = time.timeIntervalSince1970
    guard value.isFinite, seconds.magnitude < 1e12 else { return }
    if steps.isEmpty { origin = seconds }
    let index = Int(((seconds - origin) / width).rounded(.down))
    let step = Step(index: index, sum: value, count: 1, least: value, greatest: value, followsGap: followsGap)
    followsGap = false
    // The value nearly always belongs to the last step or a later one. Time goes backwards only with several files.
    let place = steps.last.map { $0.index <= index } ?? true ? steps.count - 1 : self.place(of: index)
    if place >= 0, steps[place].index == index {
      steps[place] = Self.merged(steps[place], step)
    } else {
      steps.insert(step, at: place + 1)
    }
    while steps.count > limit { widen() }
  }

  mutating func addGap() { followsGap = true }

  func time(of step: Step) -> Double { origin + (Double(step.index) + 0.5) * width }

  var runs: [ArraySlice<Step>] {
    let starts = steps.indices.filter { $0 == 0 || steps[$0].followsGap }
    return zip(starts, starts.dropFirst() + [steps.count]).map { steps[$0..<$1] }
  }

  /// The place of the last step that is not after `index`; -1 if there is none.
  private func place(of index: Int) -> Int {
    var low = 0
    var high = steps.count
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].index <= index { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  private mutating func widen() {
    width *= 2
    var joined: [Step] = []
    for var step in steps {
      step.index >>= 1
      if let last = joined.last, last.index == step.index {
        joined[joined.count - 1] = Self.merged(last, step)
      } else {
        joined.append(step)
      }
    }
    steps = joined
  }

  private static func merged(_ first: Step, _ second: Step) -> Step {
    Step(
      index: first.index, sum: first.sum + second.sum, count: first.count + second.count,
      least: min(first.least, second.least), greatest: max(first.greatest, second.greatest),
      followsGap: first.followsGap)
  }
}
