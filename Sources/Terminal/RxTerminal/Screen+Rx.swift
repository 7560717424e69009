public import Rx
public import RxBinding
public import TerminalKit

extension Screen: ReactiveCompatible {}

@MainActor
extension Reactive where Base: Screen {
  /// The user has pressed a key that no view had a use for.
  public func keyCommand(_ key: Key) -> ControlEvent<Void> {
    ControlEvent(of: base) { screen, send in
      screen.addKeyCommand(key) { send(()) }
    } remove: { screen, token in
      screen.removeKeyCommand(token)
    }
  }
}
