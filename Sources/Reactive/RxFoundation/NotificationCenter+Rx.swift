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
  /// the post returns (RxCocoa). Never completes, never fails. `nil` stands for any name and for any object. The object
  /// is held weakly: once it is gone, a new subscription receives nothing.
  public func notification(_ name: Notification.Name?, object: AnyObject? = nil) -> Observable<PostedNotification> {
    let center: NotificationCenter = base
    let sender = Sender(object)
    return Observable.create { observer in
      guard sender.isAlive else { return Disposables.create() }
      // Only the center, which has a lock, reads the token.
      nonisolated(unsafe) let token = center.addObserver(forName: name, object: sender.object, queue: nil) {
        observer.onNext(PostedNotification($0))
      }
      return Disposables.create { center.removeObserver(token) }
    }
  }
}

/// The object whose notifications are observed.
private final class Sender: Sendable {
  // Only its identity is used, and any thread may read a weak reference.
  nonisolated(unsafe) weak let object: AnyObject?
  private let isGiven: Bool

  init(_ object: AnyObject?) {
    self.object = object
    isGiven = object != nil
  }

  /// Whether there is, or need not be, an object.
  var isAlive: Bool { !isGiven || object != nil }
}

/// A `Notification` on its way through an observable sequence.
///
/// `Notification` is not `Sendable`: its `object` and `userInfo` may be anything, and the poster may go on changing
/// them. Elements of a sequence are `Sendable`. So a posted notification travels in this type, which has the same
/// members.
///
/// Take what you need out of it in the first operator, which runs while the poster waits, and pass that on:
///
///     center.rx.notification(.didMove)
///       .compactMap { $0.userInfo?["speed"] as? Double }
///       .observe(on: MainScheduler.instance)
///
/// Behind an `observe(on:)` the poster may change `object` and `userInfo`, as with Foundation's own observers.
///
/// `@unchecked Sendable`: the notification itself is immutable. The thread of the post makes access to what it refers
/// to safe, as said above; `Name`s are values.
public struct PostedNotification: @unchecked Sendable {
  /// The notification as it was posted.
  public let notification: Notification

  init(_ notification: Notification) { self.notification = notification }

  /// What happened.
  public var name: Notification.Name { notification.name }

  /// The object that the notification is about, as a rule its poster.
  public var object: Any? { notification.object }

  /// Further values that the poster added.
  public var userInfo: [AnyHashable: Any]? { notification.userInfo }
}
