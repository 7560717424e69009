import Rx
import RxTerminal
import TerminalKit

/// What one row of the fix says: a text, and a share of a bar where the value is of a kind that has a scale.
struct Reading: Sendable, Equatable {
  var text: String?
  var share: Double?
  var style = Style.plain

  /// What the receiver does not know.
  static let unknown = Reading(text: "–", style: .dim)
}

/// A name, a value and a bar.
final class ReadingRow: View {
  private static let nameWidth = 10
  private static let valueWidth = 15

  private let name: Label
  let value = Label()
  let bar = ProgressBar()

  init(_ name: String) {
    self.name = Label(text: name, style: .dim)
    super.init()
    for view in [self.name, value, bar] { addSubview(view) }
  }

  override func sizeThatFits(width: Int) -> Size { Size(width: width, height: 1) }

  override func layoutSubviews() {
    name.frame = Rect(x: 0, y: 0, width: Self.nameWidth - 1, height: 1)
    let barStart = Self.nameWidth + Self.valueWidth + 1
    // A text without a bar has all the room.
    let width = bar.value == nil ? frame.width - Self.nameWidth : Self.valueWidth
    value.frame = Rect(x: Self.nameWidth, y: 0, width: width, height: 1)
    bar.frame = Rect(x: barStart, y: 0, width: frame.width - barStart, height: 1)
  }
}

@MainActor
extension Reactive where Base: ReadingRow {
  /// Shows a reading.
  var reading: Binder<Reading> {
    Binder(base) { row, reading in
      row.value.text = reading.text
      row.value.style = reading.style
      row.bar.value = reading.share
    }
  }
}
