import Rx
import RxBinding
import RxTerminal
import TerminalKit

/// The layout: a small terminal shows the most important panels, a larger one all of them.
final class MonitorView: View {
  let source = Label(style: .bold)
  let notice = Label()
  let help = Label(style: .dim)

  let readings = FixRow.allCases.map { ReadingRow($0.title) }
  let clock = ReadingRow("Clock")

  let filter = TextField(placeholder: "type to filter: galileo, used")
  let filterRemark = Label(style: .dim)
  let scale = Label(text: " ", style: .dim)
  let satellites = ListView()
  let sky = SkyView()
  let fences = ListView()
  let messages = ListView()
  let outputs = ListView()

  let fixPanel: Panel
  let satellitesPanel: Panel
  private let skyPanel: Panel
  private let fencesPanel: Panel
  private let messagesPanel: Panel
  private let outputsPanel: Panel
  private let rows: StackView
  private let hasOutputs: Bool

  init(hasOutputs: Bool) {
    self.hasOutputs = hasOutputs
    rows = StackView(axis: .vertical, (readings + [clock]).map { ($0, .fitting) })
    fixPanel = Panel(title: "Fix", hasDetails: true, rows)
    satellitesPanel = Panel(
      title: "Satellites",
      StackView(
        axis: .vertical, [(filter, .fitting), (filterRemark, .fitting), (scale, .fitting), (satellites, .fill)]))
    skyPanel = Panel(title: "Sky", sky)
    fencesPanel = Panel(title: "Fences", fences)
    messagesPanel = Panel(title: "Messages", messages)
    outputsPanel = Panel(title: "Outputs of the daemon", outputs)
    super.init()
    for view in [
      source, notice, fixPanel, satellitesPanel, skyPanel, fencesPanel, outputsPanel, messagesPanel, help,
    ] { addSubview(view) }
  }

  /// The keys that work in the focused view, the most important last.
  private var keys: [String] {
    if let alert = window?.alerts.last {
      let cancel = alert.actions.first { $0.style == .cancel }.map { ["Escape: \($0.title)"] } ?? []
      return (alert.actions.count + alert.textFields.count > 1 ? ["Tab: next"] : []) + ["Return: answer"] + cancel
    }
    let general = ["f: fence here", "?: help", "q: quit"]
    if filter.isFocused { return ["Tab: next", "letters: filter", "Ctrl-U: clear", "Ctrl-C: quit"] }
    if fences.isFocused { return ["Tab: next", "Return: details", "Delete: remove"] + general }
    if fixPanel.isFocused { return ["Tab: next", "Return: details"] + general }
    return ["Tab: next", "arrows: row", "Return: details"] + general
  }

  override func layoutSubviews() {
    let (width, height) = (frame.width, frame.height)
    var keys = keys
    while keys.count > 1, keys.joined(separator: "  ").count > width { keys.removeFirst() }
    help.text = keys.joined(separator: "  ")
    let name = min(source.sizeThatFits(width: width).width, width)
    source.frame = Rect(x: 0, y: 0, width: name, height: 1)
    notice.frame = Rect(x: name + 2, y: 0, width: width - name - 2, height: 1)
    help.frame = Rect(x: 0, y: height - 1, width: width, height: height > 5 ? 1 : 0)
    for panel in [satellitesPanel, skyPanel, fencesPanel, messagesPanel, outputsPanel] { panel.frame = .zero }
    let room = Rect(x: 0, y: 1, width: width, height: height - 1 - help.frame.height)
    fixPanel.hasBorder = width >= 64 && height >= 20
    guard fixPanel.hasBorder else { return layOutNarrow(room) }

    // The fix gets all its rows before the fences get empty ones and the messages more than one.
    let fixHeight = rows.sizeThatFits(width: width).height + 2
    let fencesHeight = max(1, fences.numberOfRows) + 2
    let messageHeight = max(3, min(max(5, min(10, height / 4)), room.height - fixHeight - fencesHeight))
    let upper = Rect(x: 0, y: 1, width: width, height: room.height - messageHeight)
    let messageWidth = hasOutputs ? width - min(width / 2, 46) : width
    messagesPanel.frame = Rect(x: 0, y: upper.maxY, width: messageWidth, height: messageHeight)
    if hasOutputs {
      outputsPanel.frame = Rect(x: messageWidth, y: upper.maxY, width: width - messageWidth, height: messageHeight)
    }
    layOutColumns(upper, fixHeight: min(fixHeight, upper.height - 3))
  }

  /// Lays out the fix without its frame, and the messages below it if there is room.
  private func layOutNarrow(_ room: Rect) {
    let fixHeight = min(rows.sizeThatFits(width: room.width).height, room.height)
    fixPanel.frame = Rect(x: 0, y: room.minY, width: room.width, height: fixHeight)
    let rest = room.maxY - fixPanel.frame.maxY
    if rest >= 3 { messagesPanel.frame = Rect(x: 0, y: room.maxY - rest, width: room.width, height: rest) }
  }

  /// Lays out the fix and the fences, the satellites, and the sky in its own column or below the satellites.
  private func layOutColumns(_ room: Rect, fixHeight: Int) {
    let left = min(48, room.width / 2)
    fixPanel.frame = Rect(x: 0, y: room.minY, width: left, height: fixHeight)
    fencesPanel.frame = Rect(x: 0, y: room.minY + fixHeight, width: left, height: room.height - fixHeight)
    var rest = Rect(x: left, y: room.minY, width: room.width - left, height: room.height)
    if rest.width >= 70 {
      let width = min(rest.width - 36, 2 * rest.height + 4)
      skyPanel.frame = Rect(x: room.maxX - width, y: rest.minY, width: width, height: rest.height)
      rest.size.width -= width
    } else if rest.height >= 28 {
      let height = min(rest.height / 2, rest.width / 2)
      skyPanel.frame = Rect(x: rest.minX, y: rest.maxY - height, width: rest.width, height: height)
      rest.size.height -= height
    }
    satellitesPanel.frame = rest
    scale.text = SatelliteCell.scale(width: rest.width - 4)
  }
}

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

  private static func holdsFocus(_ view: View) -> Bool { view.isFocused || view.subviews.contains(where: holdsFocus) }
}
