import Foundation
import Rx
import RxFoundation
import Testing

extension Notification.Name {
  fileprivate static let keyboardWillShow = Notification.Name("keyboardWillShow")
  fileprivate static let keyboardWillHide = Notification.Name("keyboardWillHide")
}

/// Two notifications, made of one type and merged.
@Suite struct NotificationTests {
  @Test func theKeyboardsHeightFollowsBothNotifications() {
    let center = NotificationCenter()
    let heights = Log<Double>()
    let willShow = center.rx.notification(.keyboardWillShow).map { $0.userInfo?["height"] as? Double ?? 0 }
    let willHide = center.rx.notification(.keyboardWillHide).map { _ in 0.0 }
    let subscription = Observable.merge(willShow, willHide).subscribe(onNext: { heights.add($0) })

    center.post(name: .keyboardWillShow, object: nil, userInfo: ["height": 216.0])
    center.post(name: .keyboardWillHide, object: nil)
    center.post(name: .keyboardWillShow, object: nil)
    subscription.dispose()
    center.post(name: .keyboardWillShow, object: nil, userInfo: ["height": 300.0])
    #expect(heights.entries == [216, 0, 0])
  }
}
