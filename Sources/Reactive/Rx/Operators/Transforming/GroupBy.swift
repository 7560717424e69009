extension ObservableType {
  /// A sequence for each key: the group is sent when the first element with its key comes, right before that. All groups
  /// end with this sequence. What `keySelector` throws ends it (RxSwift's `groupBy`).
  ///
  /// A group that is subscribed to goes on when the subscription to the groups is disposed of. Subscribe to a group when
  /// it comes: it does not repeat elements.
  public func groupBy<Key: Hashable & Sendable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable()
    return Producer { GroupSink($0, keySelector).connect(source) }
  }
}

/// `@unchecked Sendable`: `groups` is touched by the source only, which calls from one thread at a time, and when nothing
/// comes any more.
private final class GroupSink<Element: Sendable, Key: Hashable & Sendable>:
  SplitSink<Element, GroupedObservable<Key, Element>>, @unchecked Sendable
{
  private let keySelector: @Sendable (Element) throws -> Key
  private var groups: [Key: PublishSubject<Element>] = [:]

  init(
    _ downstream: Sink<GroupedObservable<Key, Element>>, _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) {
    self.keySelector = keySelector
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      let key = try keySelector(element)
      if let group = groups[key] { return group.onNext(element) }
      let group = PublishSubject<Element>()
      groups[key] = group
      send(GroupedObservable(key: key, source: part(group)))
      group.onNext(element)
    } catch {
      endAll(.error(error), .error(error))
    }
  }

  override func error(_ error: any Error) {
    endAll(.error(error), .error(error))
  }

  override func completed() {
    endAll(.completed, .completed)
  }

  override func sourceGone() {
    groups = [:]
    super.sourceGone()
  }

  private func endAll(_ groupEnd: Event<Element>, _ end: Event<GroupedObservable<Key, Element>>) {
    guard !isDisposed else { return }
    for group in groups.values { group.on(groupEnd) }
    groups = [:]
    self.end(end)
  }
}
