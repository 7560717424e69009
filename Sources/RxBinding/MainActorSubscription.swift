import Rx

extension Observable {
  /// Subscribes with closures that belong to the main actor: called at once for what comes on the main queue, and a
  /// little later, in order, for what does not (a disposal on another thread, a scheduler that a test put there).
  func subscribeOnMainActor(
    onNext: (@MainActor (Element) -> Void)?,
    onCompleted: (@MainActor () -> Void)?,
    onDisposed: (@MainActor () -> Void)?
  ) -> any Disposable {
    subscribe(
      onNext: onNext.map { onNext in { element in MainQueue.run { onNext(element) } } },
      onCompleted: onCompleted.map { onCompleted in { MainQueue.run { onCompleted() } } },
      onDisposed: onDisposed.map { onDisposed in { MainQueue.run { onDisposed() } } }
    )
  }

  /// Subscribes with closures that belong to the main actor and get `object`, which is held weakly; when it is gone,
  /// nothing is called.
  func subscribeOnMainActor<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)?,
    onCompleted: (@MainActor (Object) -> Void)?,
    onDisposed: (@MainActor (Object) -> Void)?
  ) -> any Disposable {
    subscribeOnMainActor(
      onNext: onNext.map { onNext in
        { [weak object] element in
          if let object { onNext(object, element) }
        }
      },
      onCompleted: onCompleted.map { onCompleted in
        { [weak object] in
          if let object { onCompleted(object) }
        }
      },
      onDisposed: onDisposed.map { onDisposed in
        { [weak object] in
          if let object { onDisposed(object) }
        }
      }
    )
  }
}
