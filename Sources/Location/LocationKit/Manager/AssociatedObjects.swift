/// Objects that other modules keep with an object of this one, for as long as it lives.
///
/// Swift has no associated objects. A class that wants to be extended from outside holds one of these instead,
/// and whoever extends it stores what belongs to the instance (a delegate proxy, say) under a type's identifier:
///
///     manager.associatedObjects[ObjectIdentifier(MyExtension.self)] = MyExtension(manager)
///
/// What is stored is held strongly: it must hold its owner weakly, or neither is ever released.
@MainActor
public final class AssociatedObjects {
  // Few keys are ever used, so a search in a small array is faster than hashing.
  private var entries: [(key: ObjectIdentifier, object: AnyObject)] = []

  /// Creates an empty store.
  public init() {}

  /// The object stored under `key`; set `nil` to release it.
  public subscript(key: ObjectIdentifier) -> AnyObject? {
    get {
      for entry in entries where entry.key == key { return entry.object }
      return nil
    }
    set {
      let index = entries.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let object?): entries[index].object = object
      case (let index?, nil): entries.remove(at: index)
      case (nil, let object?): entries.append((key, object))
      case (nil, nil): break
      }
    }
  }
}
