import Rx

/// Something that is, or stands for, a ``ControlEvent`` (RxCocoa's `ControlEventType`).
public protocol ControlEventType<Element>: ObservableType {
  /// The control event.
  func asControlEvent() -> ControlEvent<Element>
}
