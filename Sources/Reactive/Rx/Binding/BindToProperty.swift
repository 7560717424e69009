extension ObservableType {
  /// Sets a property of `object`, which is held weakly, to each element, on the main actor: for a model that is
  /// `@Observable`, or any other object. An error is a programmer's fault.
  ///
  ///     positions.map(\.speed).bind(to: \.speed, on: model).disposed(by: bag)
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }

  /// Sets an optional property of `object`, which is held weakly, to each element, on the main actor. An error is a
  /// programmer's fault.
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element?>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }
}

extension Binder {
  /// A binder to a property of `object`.
  package init<Object: AnyObject & Sendable>(_ object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    // A key path is immutable, and this one is used on the main actor only. A key path to a
    // property of the main actor is not Sendable, although it may be used there.
    nonisolated(unsafe) let keyPath = keyPath
    self.init(object) { object, value in
      object[keyPath: keyPath] = value
    }
  }
}
