import Foundation
import Rx

/// Every `NSObject` has a reactive side, as in RxSwift.
extension NSObject: ReactiveCompatible {}

#if !canImport(ObjectiveC)
  // It is an NSObject on Apple's systems only.
  extension NotificationCenter: ReactiveCompatible {}
#endif

extension Reactive where Base: NotificationCenter {
  /// The notifications that are posted while there is a subscription, each delivered on the thread that posts it before
  /// the post returns (RxCocoa's `notification(_:object:)`). Never completes, never fails.
  ///
  /// - Parameters:
  ///   - name: The notifications to observe; `nil` for those of any name.
  ///   - object: The object whose notifications to observe; `nil` for those of any object. It is held weakly: once it is
  ///     gone, a new subscription receives nothing.
  public func notification(_ name: Notification.Name?, object: AnyObject? = nil) -> Observable<PostedNotification> {
    let center: NotificationCenter = base
    let sender = Sender(object)
    return Observable.create { observer in
      guard sender.isAlive else { return Disposables.create() }
      let token = ObservationToken(
        center.addObserver(forName: name, object: sender.object, queue: nil) { notification in
          observer.onNext(PostedNotification(notification))
        })
      return Disposables.create { center.removeObserver(token.value) }
    }
  }
}

/// The object whose notifications are observed.
///
/// `@unchecked Sendable`: immutable, and only the object's identity is used; weak references may be read on any thread.
private final class Sender: @unchecked Sendable {
  weak let object: AnyObject?
  private let isGiven: Bool

  init(_ object: AnyObject?) {
    self.object = object
    isGiven = object != nil
  }

  /// Whether there is, or need not be, an object.
  var isAlive: Bool {
    !isGiven || object != nil
  }
}

/// The token that a notification center returns for an observer.
///
/// `@unchecked Sendable`: only the center, which has a lock, reads it.
private struct ObservationToken: @unchecked Sendable {
  let value: any NSObjectProtocol

  init(_ value: any NSObjectProtocol) {
    self.value = value
  }
}
