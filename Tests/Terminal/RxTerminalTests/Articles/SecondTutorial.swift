import Rx
import RxBinding
import RxTerminal
import TerminalKit

/// A custom control that the arrow keys move.
final class Slider: Control {
  var value = 0.0 { didSet { setNeedsDisplay() } }

  override func sizeThatFits(width: Int) -> Size { Size(width: 0, height: 1) }

  override func draw(on canvas: Canvas) {
    let bar = ProgressBar.text(value, columns: canvas.size.width)
    canvas.write(bar.filled + bar.rest, x: 0, y: 0, style: isFocused ? .bold : .plain)
  }

  override func press(_ key: Key) -> Bool {
    guard key == .left || key == .right else { return false }
    value = max(0, min(1, value + (key == .right ? 0.1 : -0.1)))
    sendActions(for: .editingChanged)
    return true
  }
}

extension Reactive where Base: Slider {
  /// A control property: the value that the user or the program sets.
  var value: ControlProperty<Double> {
    controlProperty {
      $0.value
    } setter: {
      $0.value = $1
    }
  }

  /// A control event: the user has moved it.
  var moved: ControlEvent<Void> { controlEvent(.editingChanged) }
}

extension Reactive where Base: Label {
  /// A binder: shows a share as a percentage, in red if it is small.
  var percentage: Binder<Double> {
    Binder(base) { label, share in
      label.text = "\(Int((share * 100).rounded())) %"
      label.style = share < 0.3 ? .color(.red) : .plain
    }
  }
}

@MainActor
final class VolumeController {
  let slider = Slider()
  let label = Label()
  let moves = Label(style: .dim)
  let resetButton = Button(title: "Half")
  let screen: Screen
  private let bag = DisposeBag()

  init() {
    screen = Screen(
      root: StackView(
        axis: .vertical, [(slider, .fitting), (label, .fixed(1)), (resetButton, .fitting), (moves, .fitting)]))
    slider.rx.value
      .bind(to: label.rx.percentage)
      .disposed(by: bag)
    resetButton.rx.tap
      .map { 0.5 }
      .bind(to: slider.rx.value.asObserver(), label.rx.percentage.asObserver())
      .disposed(by: bag)
    slider.rx.moved
      .scan(0) { count, _ in count + 1 }
      .map { "moved \($0) times" }
      .bind(to: moves.rx.text)
      .disposed(by: bag)
  }
}
