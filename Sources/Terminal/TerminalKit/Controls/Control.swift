/// A view that the user works with, and that reports it. UIKit's `UIControl`.
@MainActor
open class Control: View {
  /// What a control reports.
  public enum Event: Sendable, Hashable {
    /// It was chosen: by Return, by the space bar, by a click.
    case primaryActionTriggered
    /// The user has changed what it holds.
    case editingChanged
    /// It has got the keys, and the user begins to change what it holds.
    case editingDidBegin
    /// It has the keys no longer.
    case editingDidEnd
  }

  /// Names an action, for its removal.
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

  /// Whether it takes keys: while it is enabled.
  open override var canBecomeFocused: Bool { isEnabled }

  /// Calls `action` whenever the user does what `event` names, until it is removed or the control goes.
  @discardableResult
  public func addAction(for event: Event, _ action: @escaping @MainActor () -> Void) -> ActionToken {
    lastToken += 1
    let token = ActionToken(number: lastToken)
    actions.append((token, event, action))
    return token
  }

  /// Removes an action; once it is removed, again does nothing.
  public func removeAction(_ token: ActionToken) {
    actions.removeAll { $0.token == token }
  }

  /// Whether an action waits for something of the user's.
  public var hasActions: Bool { !actions.isEmpty }

  /// Calls the actions of an event, the oldest first. A control does so itself when the user works with it.
  public func sendActions(for event: Event) {
    for action in actions where action.event == event { action.action() }
  }
}
