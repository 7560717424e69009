import LocationKit
import TerminalKit

/// A fence in the list: its name, on which side of it the receiver is, and how far its centre is.
final class FenceCell: ListCell {
  func show(_ fence: FenceItem) {
    let distance = fence.distance.map { "\(fixedPoint($0, decimals: 0)) m" } ?? ""
    text = Self.column(fence.region.identifier, 14) + Self.column(fence.state.rawValue, 9) + distance
    style =
      switch fence.state {
      case .inside: .color(.green)
      case .outside: .plain
      case .unknown: .dim
      }
  }

  private static func column(_ text: String, _ width: Int) -> String {
    let text = text.truncated(toColumns: width - 1)
    return text + String(repeating: " ", count: width - text.columns)
  }
}
