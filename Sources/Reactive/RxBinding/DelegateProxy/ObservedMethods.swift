import Rx

/// Which methods of one proxy are observed, and by whom.
@MainActor
@usableFromInline
final class ObservedMethods {
  /// When a stream has its elements: before or after the user's delegate is called.
  @usableFromInline
  enum Stage {
    case sentMessage, methodInvoked
  }

  // One bit for each method that is observed now, see `DelegateMethod.bit`. As methods may share a bit, a set one means
  // "perhaps". They are read in every call; no access to them lasts, so none needs to be checked for overlap.
  @exclusivity(unchecked) @usableFromInline var sentMessage: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var methodInvoked: UInt64 = 0

  /// Called when a stream has got its first observer or lost its last one, but not when all are completed.
  var observationDidChange: (@MainActor () -> Void)?

  @exclusivity(unchecked) private var streams: ContiguousArray<DelegateMethodStream> = []
  private var isCompleted = false

  /// Whether any stream is subscribed to.
  var hasObservers: Bool { sentMessage | methodInvoked != 0 }

  /// Whether a stream of `method` is subscribed to.
  func isObserved<Delegate, Arguments>(_ method: DelegateMethod<Delegate, Arguments>) -> Bool {
    existing(method, .sentMessage)?.hasObservers ?? false || existing(method, .methodInvoked)?.hasObservers ?? false
  }

  /// What observers of `method` subscribe to.
  func subject<Delegate, Arguments>(
    of method: DelegateMethod<Delegate, Arguments>, _ stage: Stage
  ) -> MainActorSubject<Arguments> {
    if let subject = existing(method, stage) { return subject }
    // The subject never calls this after it was completed, which it is before this object goes.
    let subject = MainActorSubject<Arguments> { [unowned self] in self.updateMasks() }
    if isCompleted { subject.complete() }
    streams.append(DelegateMethodStream(method, stage, subject))
    return subject
  }

  /// Sends `arguments` to the observers of `method`, whose bit is `bit`.
  @usableFromInline
  func send<Delegate, Arguments>(
    _ arguments: Arguments, of method: DelegateMethod<Delegate, Arguments>, _ bit: UInt64, to stage: Stage
  ) {
    guard let index = index(of: method, bit, stage) else { return }
    // Borrows the stream's reference, and gives it back: no stream goes before this object does.
    let subject = Unmanaged<MainActorSubject<Arguments>>.fromOpaque(streams[index].object).takeRetainedValue()
    subject.next(arguments)
    _ = Unmanaged.passRetained(subject)
  }

  /// Completes all streams, those that are asked for later too.
  func complete() {
    isCompleted = true
    for stream in streams { stream.subject.complete() }
    updateMasks()
  }

  private func existing<Delegate, Arguments>(
    _ method: DelegateMethod<Delegate, Arguments>, _ stage: Stage
  ) -> MainActorSubject<Arguments>? {
    index(of: method, method.bit, stage).map {
      unsafeDowncast(streams[$0].subject, to: MainActorSubject<Arguments>.self)
    }
  }

  @inline(__always)
  private func index<Delegate, Arguments>(
    of method: DelegateMethod<Delegate, Arguments>, _ bit: UInt64, _ stage: Stage
  ) -> Int? {
    for index in streams.indices where streams[index].bit == bit && streams[index].stage == stage {
      if streams[index].matches(method) { return index }
    }
    return nil
  }

  private func updateMasks() {
    (sentMessage, methodInvoked) = (0, 0)
    for stream in streams where stream.subject.hasObservers {
      switch stream.stage {
      case .sentMessage: sentMessage |= stream.bit
      case .methodInvoked: methodInvoked |= stream.bit
      }
    }
    if !isCompleted { observationDidChange?() }
  }
}

/// The stream of one method at one stage.
private struct DelegateMethodStream {
  let bit: UInt64
  let stage: ObservedMethods.Stage
  let arguments: ObjectIdentifier
  let name: StaticString
  /// A `MainActorSubject` of the type that `arguments` identifies.
  let subject: any AnyMainActorSubject
  /// The same, as it can be borrowed.
  let object: UnsafeMutableRawPointer

  init<Delegate, Arguments>(
    _ method: DelegateMethod<Delegate, Arguments>, _ stage: ObservedMethods.Stage,
    _ subject: MainActorSubject<Arguments>
  ) {
    bit = method.bit
    self.stage = stage
    arguments = ObjectIdentifier(Arguments.self)
    name = method.name
    self.subject = subject
    object = Unmanaged.passUnretained(subject).toOpaque()
  }

  @inline(__always)
  func matches<Delegate, Arguments>(_ method: DelegateMethod<Delegate, Arguments>) -> Bool {
    arguments == ObjectIdentifier(Arguments.self) && name.isEqual(to: method.name)
  }
}

extension StaticString {
  /// Whether both have the same text. One literal has one address as a rule, so this seldom compares text.
  @inline(__always)
  fileprivate func isEqual(to other: StaticString) -> Bool {
    if hasPointerRepresentation, other.hasPointerRepresentation, utf8Start == other.utf8Start,
      utf8CodeUnitCount == other.utf8CodeUnitCount
    {
      return true
    }
    return hasSameText(as: other)
  }

  @inline(never)
  private func hasSameText(as other: StaticString) -> Bool {
    withUTF8Buffer { mine in other.withUTF8Buffer { mine.elementsEqual($0) } }
  }
}
