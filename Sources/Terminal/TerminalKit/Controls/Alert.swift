/// A dialog that asks for an answer. UIKit's `UIAlertController`.
///
///     let alert = Alert(title: "Quit?", message: nil)
///     alert.addAction(AlertAction(title: "Quit") { end() })
///     alert.addAction(AlertAction(title: "Cancel", style: .cancel))
///     screen.present(alert)
///
/// An answer dismisses the dialog before its handler is called. Escape gives the answer with the style `cancel`.
@MainActor
public final class Alert: View {
  /// The title in its frame.
  public let title: String
  /// The text; line feeds begin new lines. Arrow keys scroll a text that does not fit.
  public var message: String? { didSet { setNeedsDisplay() } }
  /// The answers.
  public private(set) var actions: [AlertAction] = []
  /// Its text fields.
  public private(set) var textFields: [TextField] = []
  /// Whether it is on a screen.
  public var isPresented: Bool { screen != nil }

  /// The focus before it was shown.
  weak var focusBelow: View?
  private var firstLine = 0
  private let answers = StackView(axis: .horizontal, spacing: 2)

  /// Creates a dialog without answers.
  public init(title: String, message: String? = nil) {
    self.title = title
    self.message = message
    super.init()
    addSubview(answers)
  }

  /// Adds an answer.
  public func addAction(_ action: AlertAction) {
    let button = Button(title: action.title)
    button.isEnabled = action.isEnabled
    button.addAction(for: .primaryActionTriggered) { [weak self, weak action] in
      if let action { self?.answer(action) }
    }
    action.onChange = { [weak button] in button?.isEnabled = $0 }
    actions.append(action)
    answers.addArrangedSubview(button)
  }

  /// Adds a text field with a label before it.
  public func addTextField(label: String, placeholder: String = "") {
    let field = TextField(placeholder: placeholder)
    textFields.append(field)
    addSubview(StackView(axis: .horizontal, [(Label(text: label + " "), .fitting), (field, .fill)]))
    // Tab visits the fields first.
    addSubview(answers)
  }

  /// Removes the dialog from its screen without an answer.
  public func dismiss() { screen?.dismiss(self) }

  private func answer(_ action: AlertAction) {
    guard action.isEnabled else { return }
    dismiss()
    action.handler?()
  }

  // MARK: The view's part

  private var lines: [Substring] { message.map { $0.split(separator: "\n", omittingEmptySubsequences: false) } ?? [] }

  /// The room for the title, the message, the fields and the answers, with a frame and a margin.
  public override func sizeThatFits(width: Int) -> Size {
    let widest = (lines.map(\.columns) + [title.columns + 2, answers.sizeThatFits(width: width).width]).max() ?? 0
    let inner = min(max(widest, textFields.isEmpty ? 0 : 36), max(0, width - 4))
    return Size(width: inner + 4, height: lines.count + textFields.count + 4)
  }

  /// Places it in the middle of the screen, and lays it out; the message gets the remaining height.
  func place(on size: Size) {
    let wish = sizeThatFits(width: size.width)
    let height = min(wish.height, size.height)
    frame = Rect(x: (size.width - wish.width) / 2, y: (size.height - height) / 2, width: wish.width, height: height)
    layOut()
  }

  private var messageHeight: Int { max(0, min(lines.count, frame.height - textFields.count - 4)) }

  /// Places the fields below the message and the answers at the bottom.
  public override func layoutSubviews() {
    firstLine = max(0, min(firstLine, lines.count - messageHeight))
    var y = 1 + messageHeight
    for view in subviews where view !== answers {
      view.frame = Rect(x: 2, y: y, width: frame.width - 4, height: 1)
      y += 1
    }
    let width = min(answers.sizeThatFits(width: frame.width).width, frame.width - 4)
    answers.frame = Rect(x: frame.width - 2 - width, y: frame.height - 2, width: width, height: 1)
  }

  /// Draws the frame and the part of the message that fits.
  public override func draw(on canvas: Canvas) {
    canvas.clear(Rect(x: 0, y: 0, width: canvas.size.width, height: canvas.size.height))
    canvas.drawBorder(title: title, style: .bold)
    for (row, line) in lines.dropFirst(firstLine).prefix(messageHeight).enumerated() {
      canvas.write(line.truncated(toColumns: canvas.size.width - 4), x: 2, y: 1 + row)
    }
    if firstLine > 0 { canvas.write("▲", x: canvas.size.width - 2, y: 1) }
    if firstLine + messageHeight < lines.count { canvas.write("▼", x: canvas.size.width - 2, y: messageHeight) }
  }

  /// Escape cancels, Return gives the first answer, arrow keys scroll the message and move between the answers.
  public override func press(_ key: Key) -> Bool {
    switch key {
    case .escape: if let cancel = actions.first(where: { $0.style == .cancel }) { answer(cancel) }
    case .enter: if let first = actions.first { answer(first) }
    case .up: firstLine -= 1
    case .down: firstLine += 1
    case .left: screen?.moveFocus(by: -1)
    case .right: screen?.moveFocus(by: 1)
    default: return false
    }
    setNeedsDisplay()
    return true
  }

  /// The wheel scrolls the message.
  public override func scroll(by rows: Int) -> Bool {
    firstLine += rows
    setNeedsDisplay()
    return true
  }
}

/// An answer of an ``Alert``. UIKit's `UIAlertAction`.
@MainActor
public final class AlertAction {
  /// The role of an answer.
  public enum Style: Sendable, Hashable {
    /// An ordinary answer.
    case `default`
    /// Changes nothing; Escape gives it.
    case cancel
  }

  /// The title of its button.
  public let title: String
  /// Its role.
  public let style: Style
  /// Whether it can be chosen.
  public var isEnabled = true { didSet { onChange?(isEnabled) } }
  let handler: (@MainActor () -> Void)?
  var onChange: ((Bool) -> Void)?

  /// Creates an answer. `handler` is called after the answer is chosen and the alert is dismissed.
  public init(title: String, style: Style = .default, handler: (@MainActor () -> Void)? = nil) {
    (self.title, self.style, self.handler) = (title, style, handler)
  }
}
