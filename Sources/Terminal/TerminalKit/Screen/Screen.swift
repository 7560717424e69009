/// The visible views, and the view that receives keys: a root view, and alerts above it. UIKit's `UIWindow`. It needs
/// no terminal: a ``Terminal`` shows it, and a test uses ``render()``.
@MainActor
public final class Screen {
  /// The view that fills the screen.
  public let root: View
  /// The alerts; the last one is on top and receives all keys.
  public private(set) var alerts: [Alert] = []
  /// The view that receives keys first.
  public private(set) weak var focused: View? {
    didSet {
      guard focused !== oldValue else { return }
      oldValue?.didUpdateFocus()
      focused?.didUpdateFocus()
    }
  }

  /// The extent.
  public var size: Size { didSet { setNeedsDisplay() } }

  /// Whether only ASCII is shown.
  public var isASCII = false { didSet { setNeedsDisplay() } }

  /// Called once when the screen has changed, until ``render()`` has drawn it.
  public var onNeedsDisplay: (@MainActor () -> Void)?
  private var needsDisplay = false

  private var commands: [(token: KeyCommandToken, key: Key, action: @MainActor () -> Void)] = []
  private var lastToken = 0

  /// Identifies a key command for its removal.
  public struct KeyCommandToken: Sendable, Hashable {
    fileprivate let number: Int
  }

  /// Creates a screen.
  public init(root: View, size: Size = Size(width: 80, height: 24)) {
    self.root = root
    self.size = size
    root.screen = self
  }

  isolated deinit {
    for view in [root] + alerts { view.screen = nil }
  }

  // MARK: Drawing

  /// Requests that everything is drawn again.
  public func setNeedsDisplay() {
    guard !needsDisplay else { return }
    needsDisplay = true
    onNeedsDisplay?()
  }

  /// Lays everything out and draws it.
  public func render() -> Surface {
    // Changes that the layout makes are drawn at the same time.
    needsDisplay = true
    defer { needsDisplay = false }
    let surface = Surface(size: size, isASCII: isASCII)
    let canvas = Canvas(surface)
    // The focus needs the frames of the views, and it changes the look of some.
    root.frame = Rect(x: 0, y: 0, width: size.width, height: size.height)
    root.layOut()
    for alert in alerts { alert.place(on: size) }
    keepFocus()
    root.drawAll(on: canvas)
    for alert in alerts {
      surface.cursor = nil
      alert.drawAll(on: canvas.inside(alert.frame))
    }
    return surface
  }

  // MARK: Alerts

  /// Shows an alert above everything else and focuses it.
  public func present(_ alert: Alert) {
    guard alert.screen == nil else { return }
    alert.screen = self
    alert.focusBelow = focused
    alerts.append(alert)
    alert.place(on: size)
    focused = top.focusable.first
    setNeedsDisplay()
  }

  /// Removes an alert and restores the focus before it.
  public func dismiss(_ alert: Alert) {
    guard let index = alerts.firstIndex(where: { $0 === alert }) else { return }
    alert.screen = nil
    alerts.remove(at: index)
    if index == alerts.count {
      focused = alert.focusBelow
    } else {
      alerts[index].focusBelow = alert.focusBelow
    }
    setNeedsDisplay()
  }

  // MARK: Keys and the mouse

  private var top: View { alerts.last ?? root }

  /// Focuses a view if it can be focused.
  public func focus(_ view: View) {
    guard view.canBecomeFocused, focused !== view else { return }
    focused = view
    setNeedsDisplay()
  }

  /// Calls `action` for a key that no view has handled, while no alert is shown. UIKit's `UIKeyCommand`.
  public func addKeyCommand(_ key: Key, _ action: @escaping @MainActor () -> Void) -> KeyCommandToken {
    lastToken += 1
    let token = KeyCommandToken(number: lastToken)
    commands.append((token, key, action))
    return token
  }

  /// Removes a key command.
  public func removeKeyCommand(_ token: KeyCommandToken) { commands.removeAll { $0.token == token } }

  /// Handles a key: the focused view receives it first, then its superviews. Tab moves to the next view.
  public func press(_ key: Key) {
    keepFocus()
    for view in sequence(first: focused ?? top, next: { $0.superview }) {
      if view.press(key) { return }
    }
    switch key {
    case .tab: moveFocus(by: 1)
    case .backTab: moveFocus(by: -1)
    default:
      guard alerts.isEmpty else { return }
      for command in commands where command.key == key { command.action() }
    }
  }

  /// Handles a click: the view at that place gets the focus and the click.
  public func click(_ point: Point) {
    guard let target = target(at: point) else { return }
    focus(target.view)
    target.view.click(target.point)
  }

  /// Handles the mouse wheel, turned by some rows, down if positive.
  public func scroll(at point: Point, by rows: Int) {
    var view = target(at: point)?.view
    while let next = view, !next.scroll(by: rows) { view = next.superview }
  }

  private func target(at point: Point) -> (view: View, point: Point)? {
    let top = top
    guard top.frame.contains(point) else { return nil }
    return top.hit(Point(x: point.x - top.frame.minX, y: point.y - top.frame.minY))
  }

  func moveFocus(by step: Int) {
    let views = top.focusable
    guard !views.isEmpty else { return }
    let index = views.firstIndex { $0 === focused }
    focused = views[((index ?? (step > 0 ? -1 : 0)) + step + views.count) % views.count]
    setNeedsDisplay()
  }

  /// Moves the focus from a view that was hidden, emptied or disabled.
  private func keepFocus() {
    let views = top.focusable
    if !views.contains(where: { $0 === focused }) { focused = views.first }
  }
}
