import Rx

/// A value of a user-facing object that the user can change and the program can set: the text of a field, the centre of
/// a map (RxCocoa's `ControlProperty`).
///
/// As a sequence it
/// - begins with the value at subscription,
/// - then sends what the user changes it to, not what the program sets,
/// - never fails,
/// - completes when its object goes away,
/// - delivers on the main scheduler.
///
/// It sees to it that its source is subscribed to on the main scheduler, whatever thread the subscriber is on. The rest
/// is not checked: use this type only for a source that does so.
///
/// As an observer it sets the value, see ``on(_:)``.
public struct ControlProperty<PropertyType: Sendable>: ControlPropertyType {
  /// The type of the value.
  public typealias Element = PropertyType

  let values: Observable<PropertyType>
  let valueSink: AnyObserver<PropertyType>

  /// A control property that reads `values`, subscribed to on the main scheduler, and writes to `valueSink`, which is
  /// as a rule a `Binder`.
  public init<Values: ObservableType, Sink: ObserverType>(
    values: Values, valueSink: Sink
  ) where Values.Element == Element, Sink.Element == Element {
    self.values = values.subscribe(on: ConcurrentMainScheduler.instance)
    self.valueSink = valueSink.asObserver()
  }

  /// What the user changes the value to: all values but the first.
  public var changed: ControlEvent<PropertyType> {
    ControlEvent(events: values.skip(1))
  }

  /// Subscribes `observer`; on another thread than the main one the subscription begins a little later.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    values.subscribe(observer)
  }

  /// Sets the value to an element. An error is a programmer's fault: it traps in a debug build and is logged on
  /// standard error in a release build.
  public func on(_ event: Event<Element>) {
    switch event {
    case .error(let error): BindingError.raise(error)
    case .next, .completed: valueSink.on(event)
    }
  }

  /// The values as an ordinary sequence.
  public func asObservable() -> Observable<Element> {
    values
  }

  /// This control property.
  public func asControlProperty() -> ControlProperty<Element> {
    self
  }
}

extension ControlPropertyType where Element == String? {
  /// The same property with the empty string in the place of `nil`.
  public var orEmpty: ControlProperty<String> {
    let original = asControlProperty()
    return ControlProperty(
      values: original.values.map { $0 ?? "" }, valueSink: original.valueSink.mapObserver { $0 })
  }
}

/// Something that is, or stands for, a ``ControlProperty`` (RxCocoa's `ControlPropertyType`).
public protocol ControlPropertyType<Element>: ObservableType, ObserverType {
  /// The control property.
  func asControlProperty() -> ControlProperty<Element>
}

extension ControlProperty {
  /// The values as a ``Driver``; a control property does not fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> {
    asDriver { error in
      BindingError.raise(error)
      return .empty()
    }
  }
}
