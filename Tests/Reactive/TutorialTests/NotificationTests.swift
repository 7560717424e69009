import Foundation
import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import RxFoundation
import TerminalKit
import Testing

extension Notification.Name {
  fileprivate static let keyboardWillShow = Notification.Name("keyboardWillShow")
  fileprivate static let keyboardWillHide = Notification.Name("keyboardWillHide")
}

/// Two notifications, made of one type and merged.
@Suite(.inTurn) struct NotificationTests {
  /// An editor with a text that makes room for the keyboard.
  @MainActor
  private final class Editor {
    let toggleButton = Button()
    var isFirstResponder = false
    var insets = (top: 8.0, bottom: 0.0)
    private let bag = DisposeBag()

    init(_ center: NotificationCenter) {
      // The fifth tutorial, lines 191 to 199.
      toggleButton.rx.tap
        .subscribe(onNext: { [unowned self] in
          if isFirstResponder {
            isFirstResponder = false
          } else {
            isFirstResponder = true
          }
        })
        .disposed(by: bag)

      // Lines 201 to 218: notifications may come from any thread, so it is a driver from `asDriver` on.
      let willShow = center.rx.notification(.keyboardWillShow)
        .map { ($0.userInfo?["height"] as? Double) ?? 0 }
      let willHide = center.rx.notification(.keyboardWillHide)
        .map { _ -> Double in 0 }
      Observable.merge(willShow, willHide)
        .asDriver(onErrorJustReturn: 0)
        .map { [unowned self] height -> (top: Double, bottom: Double) in
          var insets = self.insets
          insets.bottom = height
          return insets
        }
        .drive(onNext: { [weak self] insets in
          self?.insets = insets
        })
        .disposed(by: bag)
    }
  }

  @MainActor
  @Test func anEditorMakesRoomForTheKeyboard() {
    let center = NotificationCenter()
    let editor = Editor(center)
    editor.toggleButton.tap()
    #expect(editor.isFirstResponder)
    center.post(name: .keyboardWillShow, object: nil, userInfo: ["height": 216.0])
    #expect(editor.insets == (8, 216))
    center.post(name: .keyboardWillHide, object: nil)
    #expect(editor.insets == (8, 0))
  }
}
