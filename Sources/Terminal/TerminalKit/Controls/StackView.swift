/// Places views side by side or one below the other. UIKit's `UIStackView`.
@MainActor
public final class StackView: View {
  /// The direction of the views.
  public enum Axis: Sendable, Hashable {
    /// From left to right.
    case horizontal
    /// From top to bottom.
    case vertical
  }

  /// The share of the stack's length that a view gets.
  public enum Length: Sendable, Hashable {
    /// The length that fits the view.
    case fitting
    /// That many columns or rows.
    case fixed(Int)
    /// An equal share of the length that the other views leave.
    case fill
  }

  /// The direction of the views.
  public let axis: Axis
  /// Columns or rows between two views.
  public var spacing: Int
  private var arranged: [(view: View, length: Length)] = []

  /// Creates a stack.
  public init(axis: Axis, spacing: Int = 0, _ views: [(View, Length)] = []) {
    self.axis = axis
    self.spacing = spacing
    super.init()
    for (view, length) in views { addArrangedSubview(view, length) }
  }

  /// Adds a view after the others.
  public func addArrangedSubview(_ view: View, _ length: Length = .fitting) {
    arranged.append((view, length))
    addSubview(view)
  }

  private var shown: [(view: View, length: Length)] { arranged.filter { !$0.view.isHidden } }

  /// The size that fits all views.
  public override func sizeThatFits(width: Int) -> Size {
    let sizes = shown.map { entry in
      var size = entry.view.sizeThatFits(width: width)
      if case .fixed(let length) = entry.length {
        size = axis == .horizontal ? Size(width: length, height: size.height) : Size(width: size.width, height: length)
      }
      return size
    }
    let gaps = spacing * max(0, sizes.count - 1)
    return axis == .horizontal
      ? Size(width: sizes.map(\.width).reduce(gaps, +), height: sizes.map(\.height).max() ?? 0)
      : Size(width: sizes.map(\.width).max() ?? 0, height: sizes.map(\.height).reduce(gaps, +))
  }

  /// Gives each view its part. If there is too little room, the last views get none.
  public override func layoutSubviews() {
    let shown = shown
    let total = axis == .horizontal ? frame.width : frame.height
    var lengths = shown.map { entry -> Int? in
      switch entry.length {
      case .fixed(let length): return length
      case .fitting:
        let size = entry.view.sizeThatFits(width: frame.width)
        return axis == .horizontal ? size.width : size.height
      case .fill: return nil
      }
    }
    let rest = max(0, total - lengths.reduce(spacing * max(0, shown.count - 1)) { $0 + ($1 ?? 0) })
    let fills = lengths.count { $0 == nil }
    var fill = 0
    for index in lengths.indices where lengths[index] == nil {
      // The remainder of the division goes to the first views.
      lengths[index] = rest / fills + (fill < rest % fills ? 1 : 0)
      fill += 1
    }
    var position = 0
    for (entry, length) in zip(shown, lengths) {
      let length = max(0, min(length ?? 0, total - position))
      entry.view.frame =
        axis == .horizontal
        ? Rect(x: position, y: 0, width: length, height: frame.height)
        : Rect(x: 0, y: position, width: frame.width, height: length)
      position += length + spacing
    }
  }
}
