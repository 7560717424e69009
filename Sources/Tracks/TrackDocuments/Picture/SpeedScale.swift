import LocationKit

/// Speeds as colours: classes with round limits in a unit, in colours of viridis. Colour-blind readers can tell these
/// apart, and they grow brighter with the speed in greyscale as well.
struct SpeedScale: Equatable {
  let step: Double
  let classes: Int

  /// The number of units in a metre per second.
  private let factor: Double

  /// A scale from 0 to the greatest speed, in metres per second.
  init(greatest: Double, units: MeasurementUnits = .metric) {
    factor = units.speed.factor
    let top = max(greatest * factor, 1)
    step = RoundStep.atLeast(top / 8)
    classes = max(2, Int((top / step - 1e-9).rounded(.up)))
  }

  func classOf(_ speed: Double) -> Int {
    let index = speed * factor / step
    return index > 0 ? min(classes - 1, Int(min(index, 1e6))) : 0
  }

  /// The colour of a class, as "#440154".
  func colour(of index: Int) -> String {
    // The brightest tenth is left out, because it is hard to see on white.
    let position = 0.9 * Double(index) / Double(classes - 1) * Double(Self.viridis.count - 1)
    let low = min(Int(position), Self.viridis.count - 2)
    let share = position - Double(low)
    let channels = [16, 8, 0].map { shift in
      let (first, second) = (Double(Self.viridis[low] >> shift & 255), Double(Self.viridis[low + 1] >> shift & 255))
      return Int((first + share * (second - first)).rounded())
    }
    return "#" + channels.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }

  /// Eleven colours of matplotlib's viridis, evenly apart.
  private static let viridis = [
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725,
  ]
}
