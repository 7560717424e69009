import Rx
import RxBinding
import RxTerminal
import TerminalKit

/// A frame with a title around a view. If a panel has details, it can be focused, and Return shows them.
final class Panel: Control {
  var title = "" {
    didSet { if title != oldValue { setNeedsDisplay() } }
  }
  /// Whether the frame is drawn; without it the content uses the whole area of a small terminal.
  var hasBorder = true
  private let content: View
  private let hasDetails: Bool

  init(title: String, hasDetails: Bool = false, _ content: View) {
    self.title = title
    self.content = content
    self.hasDetails = hasDetails
    super.init()
    addSubview(content)
  }

  required init() {
    (content, hasDetails) = (View(), false)
    super.init()
  }

  override var canBecomeFocused: Bool { hasDetails }

  override func layoutSubviews() {
    let all = Rect(x: 0, y: 0, width: frame.width, height: frame.height)
    content.frame = hasBorder ? all.insetBy(dx: 2, dy: 1) : all
  }

  override func draw(on canvas: Canvas) {
    guard hasBorder else { return }
    canvas.drawBorder(title: title, style: Self.holdsFocus(self) ? Style(color: .cyan, bold: true) : .plain)
  }

  override func press(_ key: Key) -> Bool {
    guard hasDetails, isFocused, key == .enter else { return false }
    sendActions(for: .primaryActionTriggered)
    return true
  }

  private static func holdsFocus(_ view: View) -> Bool {
    view.isFocused || view.subviews.contains(where: holdsFocus)
  }
}
