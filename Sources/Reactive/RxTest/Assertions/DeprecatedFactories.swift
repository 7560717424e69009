import Rx

/// A `next` event at `time`, in RxTest's old spelling.
@available(*, deprecated, renamed: "Recorded.next(_:_:)")
public func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>> {
  Recorded(time: time, value: .next(element))
}

/// A `completed` event at `time`, in RxTest's old spelling.
@available(*, deprecated, renamed: "Recorded.completed(_:_:)")
public func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded<Event<Element>> {
  Recorded(time: time, value: .completed)
}

/// An `error` event at `time`, in RxTest's old spelling.
@available(*, deprecated, renamed: "Recorded.error(_:_:_:)")
public func error<Element>(
  _ time: TestTime, _ error: any Swift.Error, _ type: Element.Type = Element.self
) -> Recorded<Event<Element>> {
  Recorded(time: time, value: .error(error))
}
