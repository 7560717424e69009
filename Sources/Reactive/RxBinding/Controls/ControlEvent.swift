import Rx

/// What happens to a user-facing object: a tap, a region that has changed (RxCocoa's `ControlEvent`).
///
/// A control event
/// - never fails,
/// - sends nothing on subscription,
/// - completes when its object goes away,
/// - delivers on the main scheduler.
///
/// It sees to it that its source is subscribed to on the main scheduler, whatever thread the subscriber is on. The rest
/// is not checked: use this type only for a source that does so.
public struct ControlEvent<PropertyType: Sendable>: ControlEventType {
  /// The type of the elements.
  public typealias Element = PropertyType

  private let events: Observable<PropertyType>

  /// A control event whose source is `events`, subscribed to on the main scheduler.
  public init<Events: ObservableType>(events: Events) where Events.Element == Element {
    self.events = events.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// Subscribes `observer`; on another thread than the main one the subscription begins a little later.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    events.subscribe(observer)
  }

  /// The events as an ordinary sequence.
  public func asObservable() -> Observable<Element> {
    events
  }

  /// This control event.
  public func asControlEvent() -> ControlEvent<Element> {
    self
  }
}

/// Something that is, or stands for, a ``ControlEvent`` (RxCocoa's `ControlEventType`).
public protocol ControlEventType<Element>: ObservableType {
  /// The control event.
  func asControlEvent() -> ControlEvent<Element>
}

extension ControlEvent {
  /// The events as a ``Driver``; a control event does not fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> {
    asDriver { error in
      BindingError.raise(error)
      return .empty()
    }
  }

  /// The events as a ``Signal``; a control event does not fail, so there is no error to replace.
  public func asSignal() -> Signal<Element> {
    asSignal { error in
      BindingError.raise(error)
      return .empty()
    }
  }
}
