import Rx
import RxBinding
import RxTerminal
import RxTestSupport
import TerminalKit
import Testing

extension Reactive where Base: Label {
  /// The second tutorial, lines 40 to 59: a binder of our own, the name of a choice.
  fileprivate var choice: Binder<Int> {
    Binder(base) { label, index in
      let names = ["red", "green", "blue"]
      label.text = names.indices.contains(index) ? names[index] : "unknown"
    }
  }
}

extension Reactive where Base: Slider {
  /// Lines 83 to 96.
  fileprivate var value: ControlProperty<Double> {
    controlProperty { slider in
      slider.value
    } setter: { slider, value in
      slider.value = value
    }
  }

  /// Lines 148 to 159: a control property of our own, the slider's value in per cent.
  fileprivate var percent: ControlProperty<Int> {
    controlProperty {
      Int(($0.value * 100).rounded())
    } setter: {
      $0.value = Double($1) / 100
    }
  }
}

extension Reactive where Base: Control {
  /// Lines 114 to 142: how a control property is made.
  fileprivate func madeProperty<Value: Sendable>(
    of event: Control.Event, getter: @escaping @MainActor (Base) -> Value,
    setter: @escaping @MainActor (Base, Value) -> Void
  ) -> ControlProperty<Value> {
    let source: Observable<Value> = Observable.createOnMain { [weak weakControl = base] observer in
      guard let control = weakControl else {
        observer.on(.completed)
        return Disposables.create()
      }

      observer.on(.next(getter(control)))

      let token = control.addAction(for: event) {
        if let control = weakControl {
          observer.on(.next(getter(control)))
        }
      }

      return Disposables.createOnMain { weakControl?.removeAction(token) }
    }
    .take(until: deallocated)

    let bindingObserver = Binder(base, binding: setter)

    return ControlProperty<Value>(values: source, valueSink: bindingObserver)
  }

  /// Lines 188 to 208: how a control event is made.
  fileprivate func madeEvent(_ event: Control.Event) -> ControlEvent<Void> {
    let source: Observable<Void> = Observable.createOnMain { [weak control = self.base] observer in
      MainScheduler.ensureRunningOnMainThread()

      guard let control else {
        observer.on(.completed)
        return Disposables.create()
      }

      let token = control.addAction(for: event) {
        observer.on(.next(()))
      }

      return Disposables.createOnMain { [weak control] in control?.removeAction(token) }
    }
    .take(until: deallocated)

    return ControlEvent(events: source)
  }
}

extension Reactive where Base: TextField {
  /// Lines 218 to 226: control events of our own.
  fileprivate var begun: ControlEvent<Void> { controlEvent(.editingDidBegin) }

  fileprivate var ended: ControlEvent<Void> { controlEvent(.editingDidEnd) }
}

/// A Binder, a ControlProperty and a ControlEvent written by hand, on objects of our own.
@MainActor @Suite(.inTurn) struct CustomControlTests {
  private let bag = DisposeBag()

  @Test func aBinderSetsWhatItIsToldTo() {
    let label = LoggedLabel()
    Observable.of(0, 2, 7).bind(to: label.rx.choice).disposed(by: bag)
    #expect(label.texts == ["red", "blue", "unknown"])
  }

  @Test func aControlPropertyIsReadAndSet() {
    let (slider, label, reset) = (Slider(), LoggedLabel(), Button())
    slider.rx.percent.map { "\($0) %" }.bind(to: label.rx.text).disposed(by: bag)
    reset.rx.tap.map { 50 }.bind(to: slider.rx.percent.asObserver()).disposed(by: bag)
    slider.drag(to: 0.25)
    reset.tap()
    #expect(slider.value == 0.5)
    // What the program sets is not what the user has changed.
    #expect(label.texts == ["0 %", "25 %"])
  }

  /// Lines 76 to 79.
  @Test func aControlsValueIsMappedAndBound() {
    let (slider, label) = (Slider(), Label())
    slider.rx.value
      .map { "white \($0)" }
      .bind(to: label.rx.text)
      .disposed(by: bag)
    slider.drag(to: 0.5)
    #expect(label.text == "white 0.5")
  }

  /// Lines 165 to 172.
  @Test func aControlPropertyIsBoundTogetherWithOthers() {
    let (slider, other, reset) = (Slider(), Slider(), Button())
    reset.rx.tap.map { 30 }
      .bind(to: slider.rx.percent.asObserver(), other.rx.percent.asObserver())
      .disposed(by: bag)
    reset.tap()
    #expect(slider.value == 0.3)
    #expect(other.value == 0.3)
  }

  @Test func aControlPropertyMadeByHandEndsWithItsObject() {
    var slider: Slider? = Slider()
    let log = Recorder<String>()
    if let slider {
      let value = slider.rx.madeProperty(of: .editingChanged) {
        $0.value
      } setter: {
        $0.value = $1
      }
      value.subscribe(onNext: { log.record("\($0)") }, onCompleted: { log.record("completed") }).disposed(by: bag)
      slider.drag(to: 0.5)
      value.onNext(1)
      #expect(slider.value == 1)
    }
    slider = nil
    #expect(log.values == ["0.0", "0.5", "completed"])
  }

  @Test func aControlEventMadeByHandSendsNothingByItselfAndEndsWithItsObject() {
    var field: TextField? = TextField()
    let log = Recorder<String>()
    field?.rx.madeEvent(.editingChanged)
      .subscribe(onNext: { log.record("edited") }, onCompleted: { log.record("completed") })
      .disposed(by: bag)
    #expect(log.values.isEmpty)
    field?.type("a")
    #expect(log.values == ["edited"])
    field = nil
    #expect(log.values == ["edited", "completed"])
  }

  @Test func controlEventsOfOurOwnSayWhenTheUserWrites() {
    let (button, field) = (Button(), TextField())
    let screen = Screen(root: StackView(axis: .vertical, [(button, .fitting), (field, .fitting)]))
    let log = Recorder<String>()
    field.rx.begun.subscribe(onNext: { log.record("begun") }).disposed(by: bag)
    field.rx.ended.subscribe(onNext: { log.record("ended") }).disposed(by: bag)
    _ = screen.render()
    screen.press(.tab)
    #expect(log.values == ["begun"])
    screen.press(.tab)
    #expect(log.values == ["begun", "ended"])
  }

  @Test func aControlEventLetsGoWhenItIsDisposed() {
    let field = TextField()
    let subscription = field.rx.madeEvent(.editingChanged).subscribe()
    #expect(field.hasActions)
    subscription.dispose()
    #expect(!field.hasActions)
  }
}
