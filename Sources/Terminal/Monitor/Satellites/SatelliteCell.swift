import LocationKit
import TerminalKit

/// A satellite in the list: its constellation and number, its signal with a bar, and whether the solution uses it.
final class SatelliteCell: ListCell {
  private static let nameWidth = 11
  private static let signalWidth = 4
  private let bar = ProgressBar()
  private let mark = Label(style: .color(.green))
  private let signal = Label()

  required init() {
    super.init()
    for view in [bar, signal, mark] { addSubview(view) }
    signal.isRightAligned = true
  }

  func show(_ satellite: Satellite) {
    text = satellite.name
    style = satellite.isUsed ? .plain : .dim
    signal.text = satellite.signal.map { fixedPoint($0, decimals: 0) } ?? ""
    // 50 dB-Hz is as strong as it gets under the open sky.
    bar.value = satellite.signal.map { $0 / 50 }
    bar.style = satellite.isUsed ? .color(.green) : .dim
    mark.text = satellite.isUsed ? "used" : ""
  }

  override func layoutSubviews() {
    let barWidth = max(0, frame.width - Self.nameWidth - Self.signalWidth - 5)
    bar.frame = Rect(x: Self.nameWidth, y: 0, width: barWidth, height: 1)
    signal.frame = Rect(x: Self.nameWidth + barWidth, y: 0, width: Self.signalWidth, height: 1)
    mark.frame = Rect(x: frame.width - 4, y: 0, width: 4, height: 1)
  }
}
