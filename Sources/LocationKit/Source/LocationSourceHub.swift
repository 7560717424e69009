/// The receivers of one source, and when the source runs: a part for implementing `LocationSource`.
@MainActor
public final class LocationSourceHub {
  private struct WeakReceiver {
    weak var receiver: (any LocationSourceReceiver)?
  }

  private var receivers: [WeakReceiver] = []
  private let start: @MainActor () -> Void
  private let stop: @MainActor () -> Void

  /// Creates a hub that calls `start` for the first receiver and `stop` after the last.
  public init(start: @escaping @MainActor () -> Void, stop: @escaping @MainActor () -> Void) {
    self.start = start
    self.stop = stop
  }

  /// Adds a receiver, once.
  public func attach(_ receiver: any LocationSourceReceiver) {
    receivers.removeAll { $0.receiver == nil }
    guard !receivers.contains(where: { $0.receiver === receiver }) else { return }
    receivers.append(WeakReceiver(receiver: receiver))
    if receivers.count == 1 { start() }
  }

  /// Removes a receiver.
  public func detach(_ receiver: any LocationSourceReceiver) {
    let before = receivers.count
    receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
    if before > 0 && receivers.isEmpty { stop() }
  }

  /// Delivers one event to every receiver, in the order of their attachment.
  public func send(_ event: LocationSourceEvent) {
    // A receiver may attach or detach while it is called, so this goes over a copy and asks again.
    if receivers.count == 1 {
      receivers[0].receiver?.receive(event)
      return
    }
    for entry in receivers {
      guard let receiver = entry.receiver, receivers.contains(where: { $0.receiver === receiver }) else { continue }
      receiver.receive(event)
    }
  }
}
