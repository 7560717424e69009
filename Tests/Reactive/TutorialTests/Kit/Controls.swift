import Rx
import RxBinding

// A text field, a button, a label and a slider, without a screen.

final class TextField: Control {
  var text: String?

  /// The user types.
  func type(_ text: String) {
    self.text = text
    send(.editing)
  }
}

final class Button: Control {
  var isEnabled = true

  /// The user taps.
  func tap() { send(.tap) }
}

final class Slider: Control {
  var value = 0.0

  /// The user drags.
  func drag(to value: Double) {
    self.value = value
    send(.editing)
  }
}

final class Label: Control {
  /// Every text that was shown.
  private(set) var texts: [String?] = []
  var text: String? { didSet { texts.append(text) } }
}

@MainActor
extension Reactive where Base == TextField {
  var text: ControlProperty<String?> {
    controlProperty {
      $0.text
    } setter: {
      $0.text = $1
    }
  }
}

@MainActor
extension Reactive where Base == Button {
  var tap: ControlEvent<Void> { controlEvent(.tap) }
}

@MainActor
extension Reactive where Base == Slider {
  var value: ControlProperty<Double> {
    controlProperty {
      $0.value
    } setter: {
      $0.value = $1
    }
  }
}
