/// A view that reports the user's actions. UIKit's `UIControl`.
@MainActor
open class Control: View {
  /// The events of a control.
  public enum Event: Sendable, Hashable {
    /// It was activated by Return, the space bar or a click.
    case primaryActionTriggered
    /// The user has changed its value.
    case editingChanged
    /// It has got the focus, and the user begins to change its value.
    case editingDidBegin
    /// It has lost the focus.
    case editingDidEnd
  }

  /// Identifies an action for its removal.
  public struct ActionToken: Sendable, Hashable {
    fileprivate let number: Int
  }

  /// Whether it can be used. Tab skips a disabled control.
  public var isEnabled = true {
    didSet { if isEnabled != oldValue { setNeedsDisplay() } }
  }

  private var actions: [(token: ActionToken, event: Event, action: @MainActor () -> Void)] = []
  private var lastToken = 0

  /// Creates a control.
  public override required init() {}

  /// A control can be focused while it is enabled.
  open override var canBecomeFocused: Bool { isEnabled }

  /// Calls `action` at each `event`, until the action is removed or the control is released.
  @discardableResult
  public func addAction(for event: Event, _ action: @escaping @MainActor () -> Void) -> ActionToken {
    lastToken += 1
    let token = ActionToken(number: lastToken)
    actions.append((token, event, action))
    return token
  }

  /// Removes an action. Removing it again does nothing.
  public func removeAction(_ token: ActionToken) { actions.removeAll { $0.token == token } }

  /// Whether there are actions.
  public var hasActions: Bool { !actions.isEmpty }

  /// Calls the actions of an event, the oldest first. A control does this itself when the user operates it.
  public func sendActions(for event: Event) {
    for action in actions where action.event == event { action.action() }
  }
}
