import Rx

/// Writes down what streams say. Everything here happens on the main actor.
@MainActor
final class StreamLog<Element: Sendable> {
  private(set) var elements: [Element] = []
  private(set) var completions = 0
  private(set) var errors = 0
  private(set) var subscription: (any Disposable)?

  init(_ source: some ObservableConvertibleType<Element>, onNext: (@MainActor @Sendable (Element) -> Void)? = nil) {
    subscription = source.asObservable().subscribe { [weak self] event in
      MainActor.assumeIsolated {
        switch event {
        case .next(let element):
          self?.elements.append(element)
          onNext?(element)
        case .error: self?.errors += 1
        case .completed: self?.completions += 1
        }
      }
    }
  }

  func dispose() { subscription?.dispose() }
}
