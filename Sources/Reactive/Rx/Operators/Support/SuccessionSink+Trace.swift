#if TRACE_RESOURCES
  import Synchronization

  private let deepestSuccession = Atomic<Int>(0)

  /// How many sequences of sequences were waiting inside each other in a `concat`, `catch(sequence:)` or `retry` at the
  /// most since this was last set; in builds that count resources only (RxSwift's `maxTailRecursiveSinkStackSize`).
  public var maxTailRecursiveSinkStackSize: Int {
    get { deepestSuccession.load(ordering: .relaxed) }
    set { deepestSuccession.store(newValue, ordering: .relaxed) }
  }

  func traceSuccession(depth: Int) {
    deepestSuccession.max(depth, ordering: .relaxed)
  }
#endif
