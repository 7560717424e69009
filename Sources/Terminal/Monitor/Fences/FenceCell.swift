import LocationKit
import TerminalKit

/// A fence in the list: its name, on which side of it the receiver is, and how far its centre is.
final class FenceCell: ListCell {
  private static let stateWidth = 9
  private static let distanceWidth = 8
  private var columns = (name: "", state: "", distance: "")

  func show(_ fence: FenceItem, _ units: MeasurementUnits) {
    columns = (fence.region.identifier, fence.state.rawValue, fence.distance.map(units.words(distance:)) ?? "")
    setNeedsDisplay()
    style =
      switch fence.state {
      case .inside: .color(.green)
      case .outside: .plain
      case .unknown: .dim
      }
  }

  /// The name has what the others leave.
  override func layoutSubviews() {
    let nameWidth = max(2, frame.width - Self.stateWidth - Self.distanceWidth)
    text = Self.column(columns.name, nameWidth) + Self.column(columns.state, Self.stateWidth) + columns.distance
  }

  private static func column(_ text: String, _ width: Int) -> String {
    let text = text.truncated(toColumns: width - 1)
    return text + String(repeating: " ", count: width - text.columns)
  }
}
