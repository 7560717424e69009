/// A part of the screen with a frame and subviews, which draws itself. UIKit's `UIView`.
@MainActor
open class View {
  /// Its place in its superview, which the layout sets.
  public var frame = Rect.zero {
    didSet { if frame != oldValue { setNeedsDisplay() } }
  }

  /// Whether it is left out; a ``StackView`` gives its room to other views.
  public var isHidden = false {
    didSet { if isHidden != oldValue { setNeedsDisplay() } }
  }

  /// The view that contains it.
  public private(set) weak var superview: View?
  /// The views in it, from back to front.
  public private(set) var subviews: [View] = []
  weak var screen: Screen?

  /// An object between the view and its delegates, such as a delegate proxy, that lives as long as the view. UIKit has
  /// no such property.
  public var delegateObserver: (any ViewDelegateObserver)?

  /// Creates a view without a frame.
  public init() {}

  /// Adds a view in front of the others.
  public func addSubview(_ view: View) {
    view.removeFromSuperview()
    subviews.append(view)
    view.superview = self
    setNeedsDisplay()
  }

  /// Removes it from its superview.
  public func removeFromSuperview() {
    guard let superview else { return }
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    superview.setNeedsDisplay()
  }

  /// The preferred extent within `width` columns; 0 without a preference.
  open func sizeThatFits(width: Int) -> Size { Size(width: 0, height: 0) }

  /// Sets the frames of its subviews. Called before it is drawn.
  open func layoutSubviews() {}

  /// Draws the background of its subviews.
  open func draw(on canvas: Canvas) {}

  /// Requests that everything is laid out and drawn again, once for all changes of the moment.
  public func setNeedsDisplay() { window?.setNeedsDisplay() }

  /// The screen that contains it. UIKit's `window`.
  public var window: Screen? {
    var view = self
    while let next = view.superview { view = next }
    return view.screen
  }

  // MARK: Keys and the mouse

  /// Whether it can receive keys. ``Screen/focused`` receives them first.
  open var canBecomeFocused: Bool { false }

  /// Whether it receives keys first.
  public var isFocused: Bool { window?.focused === self }

  /// Called after the view has got or lost the focus. UIKit's `didUpdateFocus(in:with:)`.
  open func didUpdateFocus() {}

  /// Handles a key, and returns whether it did. If not, its superview receives the key.
  open func press(_ key: Key) -> Bool { false }

  /// Handles a click at a place in the view.
  open func click(_ point: Point) {}

  /// Handles the mouse wheel, turned by some rows, down if positive; returns whether it did.
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

  /// The views that can be focused, in the order of Tab.
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

/// Is informed when the delegate or the data source of a view is replaced.
@MainActor
public protocol ViewDelegateObserver: AnyObject {
  /// Called after `delegate` or `dataSource` was set.
  func delegateDidChange()
}
