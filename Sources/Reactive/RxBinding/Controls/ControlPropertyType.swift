import Rx

/// Something that is, or stands for, a ``ControlProperty`` (RxCocoa's `ControlPropertyType`).
public protocol ControlPropertyType<Element>: ObservableType, ObserverType {
  /// The control property.
  func asControlProperty() -> ControlProperty<Element>
}
