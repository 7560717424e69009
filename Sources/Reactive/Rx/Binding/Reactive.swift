/// The reactive side of a value: extensions `where Base: …` add what `object.rx` offers (RxSwift).
@dynamicMemberLookup
public struct Reactive<Base> {
  /// The value itself.
  public let base: Base

  /// The reactive side of `base`.
  public init(_ base: Base) { self.base = base }

  /// A binder to a property of the object that is extended: `object.rx.name` for `object.name`.
  public subscript<Property: Sendable>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
  ) -> Binder<Property> where Base: AnyObject & Sendable {
    Binder(base, keyPath)
  }
}

extension Reactive: Sendable where Base: Sendable {}

/// Something that has a reactive side (RxSwift).
public protocol ReactiveCompatible {
  /// The type that is extended.
  associatedtype ReactiveBase

  /// The reactive side of the type.
  static var rx: Reactive<ReactiveBase>.Type { get set }

  /// The reactive side of the value.
  var rx: Reactive<ReactiveBase> { get set }
}

// The setters do nothing: with them an extension may offer properties that can be set.
extension ReactiveCompatible {
  /// The reactive side of the type.
  public static var rx: Reactive<Self>.Type {
    get { Reactive<Self>.self }
    set {}
  }

  /// The reactive side of the value.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    set {}
  }
}
