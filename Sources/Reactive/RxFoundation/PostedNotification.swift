import Foundation

/// A `Notification` on its way through an observable sequence.
///
/// `Notification` is not `Sendable`: its `object` and `userInfo` may be anything, and the poster may go on changing them.
/// Elements of a sequence are `Sendable`. So a posted notification travels in this type, which has the same members.
///
/// Take what you need out of it in the first operator, which runs on the posting thread while the poster waits, and
/// pass that on:
///
///     center.rx.notification(.didMove)
///       .compactMap { $0.userInfo?["speed"] as? Double }
///       .observe(on: MainScheduler.instance)
///
/// Behind an `observe(on:)`, whether `object` and `userInfo` may still be looked at is between you and the poster, as it
/// is with Foundation's own observers.
///
/// `@unchecked Sendable`: the notification itself is immutable. The thread of the post makes access to what it refers to
/// safe, as said above; `Name`s are values.
public struct PostedNotification: @unchecked Sendable {
  /// The notification as it was posted.
  public let notification: Notification

  init(_ notification: Notification) {
    self.notification = notification
  }

  /// What happened.
  public var name: Notification.Name {
    notification.name
  }

  /// The object that the notification is about, as a rule its poster.
  public var object: Any? {
    notification.object
  }

  /// Further values that the poster added.
  public var userInfo: [AnyHashable: Any]? {
    notification.userInfo
  }
}
