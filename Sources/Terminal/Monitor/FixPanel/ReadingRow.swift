import Rx
import RxTerminal
import TerminalKit

/// The contents of one row of the fix: a text, and a gauge if the value has a scale.
struct Reading: Sendable, Equatable {
  enum Gauge: Sendable, Equatable {
    /// A partly filled bar.
    case share(Double)
    /// A section of a compass, centred on these degrees.
    case compass(Double)
  }

  var text: String?
  var gauge: Gauge?
  var style = Style.plain

  static let unknown = Reading(text: "–", style: .dim)
}

final class ReadingRow: View {
  private static let nameWidth = 10
  private static let valueWidth = 15

  private let name: Label
  let value = Label()
  private let bar = ProgressBar()
  private let compass = Label(style: .dim)
  private let needle = Label(style: .bold)
  var gauge: Reading.Gauge? { didSet { setNeedsDisplay() } }

  init(_ name: String) {
    self.name = Label(text: name, style: .dim)
    super.init()
    for view in [self.name, value, bar, compass, needle] { addSubview(view) }
  }

  override func sizeThatFits(width: Int) -> Size { Size(width: width, height: 1) }

  override func layoutSubviews() {
    name.frame = Rect(x: 0, y: 0, width: Self.nameWidth - 1, height: 1)
    let start = Self.nameWidth + Self.valueWidth + 1
    // A text without a gauge uses the whole width.
    let width = gauge == nil ? frame.width - Self.nameWidth : Self.valueWidth
    value.frame = Rect(x: Self.nameWidth, y: 0, width: width, height: 1)
    let room = Rect(x: start, y: 0, width: max(0, frame.width - start), height: 1)
    (bar.frame, compass.frame) = (room, room)
    needle.frame = Rect(x: start + room.width / 2, y: 0, width: min(1, room.width), height: 1)
    (bar.value, compass.text, needle.text) = (nil, nil, nil)
    switch gauge {
    case .share(let share): bar.value = share
    case .compass(let course):
      compass.text = Self.compass(course, width: room.width)
      let middle = Self.compass(course, width: 1)
      needle.text = middle == "·" || middle == "+" ? "|" : middle
    case nil: break
    }
  }

  /// The horizon from left to right with the course in the middle; a character is fifteen degrees.
  static func compass(_ course: Double, width: Int) -> String {
    guard width > 0, course.isFinite else { return "" }
    let middle = width / 2
    return String(
      (0..<width).map { column -> Character in
        let degrees = course + 15 * Double(column - middle)
        let step = (Int((degrees / 15).rounded()) % 24 + 24) % 24
        return switch step {
        case 0: "N"
        case 6: "E"
        case 12: "S"
        case 18: "W"
        default: step % 3 == 0 ? "+" : "·"
        }
      })
  }
}

@MainActor
extension Reactive where Base: ReadingRow {
  var reading: Binder<Reading> {
    Binder(base) { row, reading in
      row.value.text = reading.text
      row.value.style = reading.style
      row.gauge = reading.gauge
    }
  }
}
