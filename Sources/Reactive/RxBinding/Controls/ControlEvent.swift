public import Rx

/// What happens to a user-facing object: a tap, a region that has changed (RxCocoa).
///
/// A control event
/// - never fails,
/// - sends nothing on subscription,
/// - completes when its object goes away,
/// - delivers on the main actor, where the closures of its operators belong, too.
///
/// It sees to it that its source is subscribed to on the main actor, whatever thread the subscriber is on. The rest is
/// not checked: use this type only for a source that does so.
public struct ControlEvent<PropertyType: Sendable>: ControlEventType {
  /// The type of the elements.
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// A control event whose source is `events`, subscribed to on the main actor.
  public init<Events: ObservableConvertibleType>(events: Events) where Events.Element == Element {
    self.events = events.asObservable()
  }

  /// What an object reports to its listeners; <doc:ObjectsOfYourOwn> has an example. The object is held weakly. The
  /// sequence completes when the object releases its listener, at the latest with itself.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - add: Called for each subscription: adds a listener that calls the function it is given, and returns what
  ///     removes it again. The object must be the listener's only owner.
  ///   - remove: Removes the listener, when the subscription has ended and the object is still there.
  public init<Object: AnyObject & Sendable, Token: Sendable>(
    of object: Object,
    add: @escaping @MainActor (Object, @escaping @MainActor (Element) -> Void) -> Token,
    remove: @escaping @MainActor (Object, Token) -> Void
  ) {
    events = .createOnMain { [weak object] observer in
      guard let object else {
        observer.onCompleted()
        return Disposables.create()
      }
      let end = ListenerEnd { observer.onCompleted() }
      let token = add(object) { element in
        withExtendedLifetime(end) { observer.onNext(element) }
      }
      return Disposables.createOnMain { [weak object] in
        if let object { remove(object, token) }
      }
    }
  }

  /// The events as a sequence that may fail, as those of its operators may.
  public func asMainObservable() -> MainObservable<Element> { MainObservable(events) }

  /// This control event.
  public func asControlEvent() -> ControlEvent<Element> { self }
}

/// Held by a listener: when the listener has been let go of, nothing more can come.
private final class ListenerEnd: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { MainQueue.run { [action] in action() } }
}

/// Something that is, or stands for, a ``ControlEvent`` (RxCocoa).
public protocol ControlEventType<Element>: ControlSequenceType {
  /// The control event.
  func asControlEvent() -> ControlEvent<Element>
}

extension ControlEvent {
  /// The events as a ``Signal``; a control event does not fail, so there is no error to replace.
  public func asSignal() -> Signal<Element> { shared() }
}

/// What ``ControlEvent`` and ``ControlProperty`` have in common.
public protocol ControlSequenceType<Element>: MainObservableType, InfallibleMainSequenceType {}

extension ControlSequenceType {
  /// The elements as a ``Driver``; there is no error to replace.
  public func asDriver() -> Driver<Element> { shared() }

  func shared<Strategy: SharingStrategyProtocol>() -> SharedSequence<Strategy, Element> {
    asSharedSequence { error in
      BindingError.raise(error)
      return .empty()
    }
  }
}
