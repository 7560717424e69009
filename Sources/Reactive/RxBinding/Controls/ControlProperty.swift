public import Rx

/// A value that the user can change and the program can set: the text of a field, the centre of a map (RxCocoa).
///
/// As a sequence it
/// - begins with the value at subscription,
/// - then sends what the user changes it to, not what the program sets,
/// - never fails,
/// - completes when its object goes away,
/// - delivers on the main actor, where the closures of its operators belong, too.
///
/// It sees to it that its source is subscribed to on the main actor, whatever thread the subscriber is on. The rest is
/// not checked: use this type only for a source that does so.
///
/// As an observer it sets the value, see ``on(_:)``.
public struct ControlProperty<PropertyType: Sendable>: ControlPropertyType {
  /// The type of the value.
  public typealias Element = PropertyType

  private let stored: Observable<PropertyType>
  let valueSink: AnyObserver<PropertyType>

  /// Reads `values`, subscribed to on the main actor, and writes to `valueSink`, which is as a rule a `Binder`.
  public init<Values: ObservableConvertibleType, Sink: ObserverType>(
    values: Values, valueSink: Sink
  ) where Values.Element == Element, Sink.Element == Element {
    stored = values.asObservable()
    self.valueSink = valueSink.asObserver()
  }

  /// A value of an object that reports the user's changes to its listeners; <doc:ObjectsOfYourOwn> has an example. The
  /// object is held weakly. The sequence completes when the object releases its listener, at the latest with itself.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - get: Reads the value: at subscription, and whenever the user has changed it.
  ///   - set: Sets the value.
  ///   - add: Called for each subscription: adds a listener that calls the function it is given after each change by
  ///     the user, and returns what removes it again. The object must be the listener's only owner.
  ///   - remove: Removes the listener, when the subscription has ended and the object is still there.
  public init<Object: AnyObject & Sendable, Token: Sendable>(
    of object: Object,
    get: @escaping @MainActor (Object) -> Element,
    set: @escaping @MainActor (Object, Element) -> Void,
    add: @escaping @MainActor (Object, @escaping @MainActor () -> Void) -> Token,
    remove: @escaping @MainActor (Object, Token) -> Void
  ) {
    let changes = ControlEvent<Void>(of: object, add: { object, send in add(object) { send(()) } }, remove: remove)
    let values = MainObservable(Observable<Void>.deferred { changes.source.startWith(()) })
      .compactMap { [weak object] in object.map(get) }
    self.init(values: values, valueSink: Binder(object, binding: set))
  }

  /// What the user changes the value to: all values but the first.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: stored.skip(1)) }

  /// Sets the value. An error is a programmer's fault: it traps in a debug build; a release build logs it.
  public func on(_ event: Event<Element>) {
    switch event {
    case .error(let error): BindingError.raise(error)
    case .next, .completed: valueSink.on(event)
    }
  }

  /// The values as a sequence that may fail, as those of its operators may.
  public func asMainObservable() -> MainObservable<Element> { MainObservable(stored) }

  /// This control property.
  public func asControlProperty() -> ControlProperty<Element> { self }
}

extension ControlPropertyType where Element == String? {
  /// The same property with the empty string in the place of `nil`.
  public var orEmpty: ControlProperty<String> {
    let original = asControlProperty()
    return ControlProperty(values: original.source.map { $0 ?? "" }, valueSink: original.valueSink.mapObserver { $0 })
  }
}

/// Something that is, or stands for, a ``ControlProperty`` (RxCocoa).
public protocol ControlPropertyType<Element>: ControlSequenceType, ObserverType {
  /// The control property.
  func asControlProperty() -> ControlProperty<Element>
}
