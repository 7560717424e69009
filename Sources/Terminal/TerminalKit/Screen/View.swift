/// Something on the screen: it has a place, may have others in it, and draws itself. UIKit's `UIView`.
@MainActor
open class View {
  /// Where it is in its superview. Set by the layout.
  public var frame = Rect.zero {
    didSet { if frame != oldValue { setNeedsDisplay() } }
  }

  /// Whether it is left out; a ``StackView`` gives its room to the others.
  public var isHidden = false {
    didSet { if isHidden != oldValue { setNeedsDisplay() } }
  }

  /// The view that it is in.
  public private(set) weak var superview: View?
  /// The views in it, the ones behind first.
  public private(set) var subviews: [View] = []
  weak var screen: Screen?

  /// What stands between the view and its delegates, delegate proxies for one, and lives as long as the view. Not UIKit's.
  public var delegateObserver: (any ViewDelegateObserver)?

  /// Creates a view without a place.
  public init() {}

  /// Puts a view in front of the others.
  public func addSubview(_ view: View) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
    setNeedsDisplay()
  }

  /// Takes it out of its superview.
  public func removeFromSuperview() {
    guard let superview else { return }
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    superview.setNeedsDisplay()
  }

  /// The extent that it would like to have when it is `width` columns wide at most; 0 where it has no wish.
  open func sizeThatFits(width: Int) -> Size { Size(width: 0, height: 0) }

  /// Gives its subviews their places. Called before it is drawn.
  open func layoutSubviews() {}

  /// Draws what lies behind its subviews.
  open func draw(on canvas: Canvas) {}

  /// Has everything laid out and drawn again soon, once for all changes of the moment.
  public func setNeedsDisplay() {
    window?.setNeedsDisplay()
  }

  /// The screen that it is on. UIKit's `window`.
  public var window: Screen? {
    var view = self
    while let next = view.superview { view = next }
    return view.screen
  }

  // MARK: Keys and the mouse

  /// Whether it takes keys. ``Screen/focused`` gets them first.
  open var canBecomeFocused: Bool { false }

  /// Whether it is the first to receive keys.
  public var isFocused: Bool { window?.focused === self }

  /// Called after the view has got the keys, and after it has lost them. UIKit's `didUpdateFocus(in:with:)`.
  open func didUpdateFocus() {}

  /// Takes a key, and returns whether it had a use for it; if not, its superview is asked.
  open func press(_ key: Key) -> Bool { false }

  /// Takes a click at a place of its own.
  open func click(_ point: Point) {}

  /// Takes a turn of the mouse's wheel by some rows, down if positive; returns whether it had a use for it.
  open func scroll(by rows: Int) -> Bool { false }

  // MARK: What the screen does

  func layOut() {
    layoutSubviews()
    for view in subviews { view.layOut() }
  }

  func drawAll(on canvas: Canvas) {
    layoutSubviews()
    draw(on: canvas)
    for view in subviews where !view.isHidden && !view.frame.isEmpty { view.drawAll(on: canvas.inside(view.frame)) }
  }

  /// The views that take keys, in the order in which Tab goes through them.
  var focusable: [View] {
    guard !isHidden else { return [] }
    return (canBecomeFocused ? [self] : []) + subviews.filter { !$0.frame.isEmpty }.flatMap(\.focusable)
  }

  /// The foremost view at a place, and the place in it.
  func hit(_ point: Point) -> (view: View, point: Point)? {
    for view in subviews.reversed() where !view.isHidden && view.frame.contains(point) {
      return view.hit(Point(x: point.x - view.frame.minX, y: point.y - view.frame.minY))
    }
    return (self, point)
  }
}

/// Learns that the delegate or the data source of a view was replaced.
@MainActor
public protocol ViewDelegateObserver: AnyObject {
  /// Called after `delegate` or `dataSource` was set.
  func delegateDidChange()
}
