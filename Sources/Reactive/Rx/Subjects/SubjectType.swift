/// Something that is an observable sequence and an observer (RxSwift's `SubjectType`).
public protocol SubjectType<Element>: ObservableType {
  /// The type of the observer.
  associatedtype Observer: ObserverType

  /// The observer that feeds this subject.
  func asObserver() -> Observer
}
