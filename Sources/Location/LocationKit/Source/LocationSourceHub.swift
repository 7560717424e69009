import Synchronization

/// Keeps the receivers of a source and their interests, and starts and stops the source. Implementations of
/// `LocationSource` use it.
@MainActor
public final class LocationSourceHub {
  // A class: a structure with a weak reference is expensive to copy, and each event would copy it.
  private final class Attachment {
    private(set) weak var receiver: (any LocationSourceReceiver)?
    var interests: LocationSourceInterests
    /// Whether it began to want satellites after they had been sent to others.
    var lacksSatellites: Bool

    init(_ receiver: any LocationSourceReceiver, interests: LocationSourceInterests, lacksSatellites: Bool) {
      (self.receiver, self.interests, self.lacksSatellites) = (receiver, interests, lacksSatellites)
    }
  }

  private var receivers: [Attachment] = []
  private var isRunning = false
  /// The number of attachments and detachments so far.
  private var changes = 0
  /// The satellites that were sent last, for a receiver that begins to want them.
  private var satellites: [Satellite]?
  /// The union of the interests, and above its eight bits how often satellites began to be wanted.
  private nonisolated let union = Atomic<UInt>(0)
  private let start: @MainActor () -> Void
  private let stop: @MainActor () -> Void

  /// Creates a hub that calls `start` for the first receiver and `stop` after the last.
  public init(start: @escaping @MainActor () -> Void, stop: @escaping @MainActor () -> Void) {
    self.start = start
    self.stop = stop
  }

  /// The union of the receivers' interests. Any thread may read it at any time; a reading thread reads it before it
  /// decodes.
  public nonisolated var interests: LocationSourceInterests { demand.interests }

  /// The interests, and how often satellites began to be wanted. A thread that reads both learns that satellites are wanted
  /// anew, although it has missed the time between; the new receiver needs them even if they have not changed.
  public nonisolated var demand: (interests: LocationSourceInterests, satelliteRequests: UInt) {
    let union = union.load(ordering: .relaxed)
    return (LocationSourceInterests(rawValue: UInt8(truncatingIfNeeded: union)), union >> 8)
  }

  /// The smallest `staleAfter` of the receivers in seconds; infinite without receivers.
  public var staleAfter: Double { receivers.lazy.compactMap { $0.receiver?.staleAfter }.min() ?? .infinity }

  /// The accuracy in metres with which a location counts for at least one receiver; `nil` if all locations count for
  /// one.
  public var accuracyFilter: LocationAccuracy? {
    let filters = receivers.lazy.compactMap(\.receiver).map { $0.accuracyFilter ?? .infinity }
    return filters.max().flatMap { $0 < .infinity ? $0 : nil }
  }

  /// Adds a receiver, unless it is attached already, and reads its interests.
  ///
  /// A receiver that begins to want satellites gets the known ones before the next event.
  public func attach(_ receiver: any LocationSourceReceiver) {
    changes += 1
    receivers.removeAll { $0.receiver == nil }
    let interests = receiver.interests
    if let index = receivers.firstIndex(where: { $0.receiver === receiver }) {
      let isNew = interests.contains(.satellites) && !receivers[index].interests.contains(.satellites)
      if isNew { receivers[index].lacksSatellites = satellites != nil }
      receivers[index].interests = interests
    } else {
      let lacksSatellites = interests.contains(.satellites) && satellites != nil
      receivers.append(Attachment(receiver, interests: interests, lacksSatellites: lacksSatellites))
    }
    update()
  }

  /// Removes a receiver.
  public func detach(_ receiver: any LocationSourceReceiver) {
    changes += 1
    receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
    update()
  }

  /// Delivers one event to every receiver that wants it, in the order of their attachment.
  public func send(_ event: LocationSourceEvent) {
    catchUp(with: event)
    var hasReleasedReceiver = false
    let changesBefore = changes
    // A call may attach or detach receivers, so the loop runs over a copy and checks again after a change.
    for entry in receivers {
      guard let receiver = entry.receiver else {
        hasReleasedReceiver = true
        continue
      }
      let current = changes == changesBefore ? entry : receivers.first { $0.receiver === receiver }
      if let current, current.interests.include(event) { receiver.receive(event) }
    }
    // A receiver that was released without detaching must not keep the source running.
    if hasReleasedReceiver {
      receivers.removeAll { $0.receiver == nil }
      update()
    }
  }

  /// Stores the satellites, and sends them to a receiver that has begun to want them.
  private func catchUp(with event: LocationSourceEvent) {
    switch event {
    case .satellites(let new):
      satellites = new
      for index in receivers.indices { receivers[index].lacksSatellites = false }
    case .status(.connected): break
    case .status, .finished: satellites = nil
    case .location, .noFix, .heading, .failed: break
    }
    // The call may attach or detach receivers, so any others follow with the next event.
    guard let satellites, let index = receivers.firstIndex(where: \.lacksSatellites) else { return }
    receivers[index].lacksSatellites = false
    receivers[index].receiver?.receive(.satellites(satellites))
  }

  private func update() {
    let all = receivers.reduce(LocationSourceInterests()) { $0.union($1.interests) }
    if !all.contains(.satellites) { satellites = nil }
    let (before, requests) = demand
    let isNew = all.contains(.satellites) && !before.contains(.satellites)
    union.store((requests + (isNew ? 1 : 0)) << 8 | UInt(all.rawValue), ordering: .relaxed)
    guard isRunning == receivers.isEmpty else { return }
    isRunning.toggle()
    if isRunning { start() } else { stop() }
  }
}
