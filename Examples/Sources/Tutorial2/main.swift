// The second tutorial: a Binder, a ControlProperty and a ControlEvent. Its delegate proxy is that of Tutorial4.

import Rx
import RxBinding
import RxTerminal
import TerminalKit

/// TerminalKit has no slider.
final class Slider: Control {
  var value = 0.0

  /// The user drags.
  func drag(to value: Double) {
    self.value = value
    sendActions(for: .editingChanged)
  }
}

extension Reactive where Base: Label {
  var segmentedValue: Binder<Int> {
    return Binder(self.base) { label, index in
      switch index {
      case 0: label.text = "Red"
      case 1: label.text = "Green"
      case 2: label.text = "Blue"
      default: label.text = "Unknown"
      }
    }
  }
}

extension Reactive where Base: Slider {
  var color: ControlProperty<String> {
    return base.rx.property(editingEvents: .editingChanged) { slider in
      "white \(slider.value)"
    } setter: { slider, color in
      slider.value = Double(color.dropFirst(6)) ?? 0
    }
  }
}

extension Reactive where Base: Control {
  /// What RxCocoa does for any control; here it is `controlProperty`.
  func property<T: Sendable>(
    editingEvents: Control.Event, getter: @escaping @MainActor (Base) -> T,
    setter: @escaping @MainActor (Base, T) -> Void
  ) -> ControlProperty<T> {
    let source: Observable<T> = Observable.createOnMain { [weak weakControl = base] observer in
      guard let control = weakControl else {
        observer.on(.completed)
        return Disposables.create()
      }

      observer.on(.next(getter(control)))

      let token = control.addAction(for: editingEvents) {
        if let control = weakControl {
          observer.on(.next(getter(control)))
        }
      }

      return Disposables.createOnMain { weakControl?.removeAction(token) }
    }
    .take(until: deallocated)

    let bindingObserver = Binder(base, binding: setter)

    return ControlProperty<T>(values: source, valueSink: bindingObserver)
  }
}

extension Reactive where Base: TextField {
  var editingDidBegin: ControlEvent<Void> {
    return controlEvent(.editingDidBegin)
  }
}

let bag = DisposeBag()
let (colorPicker, resetButton) = (PublishRelay<Int>(), Button(title: "Reset"))
let (valueLabel, colorLabel) = (Label(), Label())
let whiteSlider = Slider()
let field = TextField()

colorPicker
  .bind(to: valueLabel.rx.segmentedValue)
  .disposed(by: bag)

whiteSlider.rx.color
  .bind(to: colorLabel.rx.text)
  .disposed(by: bag)

resetButton.rx.tap
  .map { "white 0.5" }
  .bind(to: colorLabel.rx.text.asObserver(), whiteSlider.rx.color.mapObserver { $0 ?? "" })
  .disposed(by: bag)

field.rx.editingDidBegin
  .subscribe(onNext: { print("begun") })
  .disposed(by: bag)

colorPicker.accept(1)
print(valueLabel.text ?? "")
whiteSlider.drag(to: 0.25)
print(colorLabel.text ?? "")
resetButton.tap()
print(colorLabel.text ?? "", whiteSlider.value)
_ = Screen(root: field).render()
