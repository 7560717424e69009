import Rx

/// Writes down what a stream says. Everything here happens on the main actor.
@MainActor
package final class StreamLog<Element: Sendable> {
  package private(set) var elements: [Element] = []
  package private(set) var errors: [any Error] = []
  package private(set) var completions = 0
  package private(set) var subscription: (any Disposable)?

  package init(
    _ source: some ObservableConvertibleType<Element>, onNext: (@MainActor @Sendable (Element) -> Void)? = nil
  ) {
    subscription = source.asObservable().subscribe { [weak self] event in
      MainActor.assumeIsolated {
        switch event {
        case .next(let element):
          self?.elements.append(element)
          onNext?(element)
        case .error(let error): self?.errors.append(error)
        case .completed: self?.completions += 1
        }
      }
    }
  }

  package func dispose() { subscription?.dispose() }
}
