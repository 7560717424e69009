import Rx

extension Recorded {
  /// A `next` event at `time`: `.next(210, 1)`.
  public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>>
  where Value == Event<Element> {
    Recorded(time: time, value: .next(element))
  }

  /// A `completed` event at `time`: `.completed(250)`. The type of the elements is `type` where the context does not
  /// say it.
  public static func completed<Element>(
    _ time: TestTime, _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// An `error` event at `time`: `.error(250, Failure.offline)`. The type of the elements is `type` where the context
  /// does not say it.
  public static func error<Element>(
    _ time: TestTime, _ error: any Swift.Error, _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }
}
