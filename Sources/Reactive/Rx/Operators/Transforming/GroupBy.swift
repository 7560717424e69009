extension ObservableType {
  /// A sequence for each key: the group is sent when the first element with its key comes, right before that. All
  /// groups end with this sequence. An error of `keySelector` ends it (RxSwift).
  ///
  /// A group goes on without a subscription to the groups. Subscribe to it when it comes: elements are not repeated.
  public func groupBy<Key: Hashable & Sendable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable()
    return Observable { downstream in
      let split = Split(downstream)
      // By the hashes of their keys, so that no key's code runs while they change. Only the source, which calls from one
      // thread at a time, touches them.
      nonisolated(unsafe) var groups: [Int: [(key: Key, subject: PublishSubject<Element>)]] = [:]
      let sink = ClosureSink<Element>(
        onNext: { sink, element in
          guard !sink.isDisposed else { return }
          do {
            let key = try keySelector(element)
            let hash = key.hashValue
            let alike = groups[hash] ?? []
            if let group = alike.first(where: { $0.key == key }) { return group.subject.onNext(element) }
            let group = PublishSubject<Element>()
            groups[hash, default: []].append((key, group))
            split.send(GroupedObservable(key: key, source: split.part(group)))
            group.onNext(element)
          } catch {
            sink.error(error)
          }
        },
        onEnd: { sink, error in
          guard !sink.isDisposed else { return }
          let ended = groups
          groups = [:]
          for group in ended.values.joined() { group.subject.on(Event(end: error)) }
          split.end(error)
        },
        onGone: { sink in
          let gone = groups
          groups = [:]
          split.sourceGone()
          sink.dispose()
          withExtendedLifetime(gone) {}
        })
      return split.connect(sink, to: source)
    }
  }
}

/// The elements of a sequence that have one key (RxSwift).
public struct GroupedObservable<Key: Sendable, Element: Sendable>: ObservableType {
  /// The key of the elements.
  public let key: Key

  private let source: Observable<Element>

  /// A group of what `source` sends.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes `observer` to the elements of the group that come from now on.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { source.subscribe(observer) }

  /// The elements of the group.
  public func asObservable() -> Observable<Element> { source }
}
