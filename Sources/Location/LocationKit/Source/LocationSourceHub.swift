/// The receivers of one source, and when the source runs: a part for implementing `LocationSource`.
@MainActor
public final class LocationSourceHub {
  private struct WeakReceiver {
    weak var receiver: (any LocationSourceReceiver)?
  }

  private var receivers: [WeakReceiver] = []
  private var isRunning = false
  private let start: @MainActor () -> Void
  private let stop: @MainActor () -> Void

  /// Creates a hub that calls `start` for the first receiver and `stop` after the last.
  public init(start: @escaping @MainActor () -> Void, stop: @escaping @MainActor () -> Void) {
    self.start = start
    self.stop = stop
  }

  /// The least `staleAfter` of the receivers, in seconds; infinite when there is none.
  public var staleAfter: Double {
    receivers.lazy.compactMap { $0.receiver?.staleAfter }.min() ?? .infinity
  }

  /// The accuracy in metres that a location needs to count for at least one of the receivers; `nil` when all count.
  public var accuracyFilter: LocationAccuracy? {
    let filters = receivers.lazy.compactMap(\.receiver).map { $0.accuracyFilter ?? .infinity }
    return filters.max().flatMap { $0 < .infinity ? $0 : nil }
  }

  /// Adds a receiver, once.
  public func attach(_ receiver: any LocationSourceReceiver) {
    receivers.removeAll { $0.receiver == nil }
    guard !receivers.contains(where: { $0.receiver === receiver }) else { return }
    receivers.append(WeakReceiver(receiver: receiver))
    startOrStop()
  }

  /// Removes a receiver.
  public func detach(_ receiver: any LocationSourceReceiver) {
    receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
    startOrStop()
  }

  /// Delivers one event to every receiver, in the order of their attachment.
  public func send(_ event: LocationSourceEvent) {
    var isAnyoneGone = false
    // A receiver may attach or detach while another is called, so this goes over a copy and asks again.
    for entry in receivers {
      guard let receiver = entry.receiver else {
        isAnyoneGone = true
        continue
      }
      if receivers.contains(where: { $0.receiver === receiver }) { receiver.receive(event) }
    }
    // One that was released without detaching must not keep the source running.
    if isAnyoneGone {
      receivers.removeAll { $0.receiver == nil }
      startOrStop()
    }
  }

  private func startOrStop() {
    guard isRunning == receivers.isEmpty else { return }
    isRunning.toggle()
    if isRunning { start() } else { stop() }
  }
}
