import Synchronization

/// The receivers of one source, what they want, and when the source runs: a part for implementing `LocationSource`.
@MainActor
public final class LocationSourceHub {
  // A class: a structure with a weak reference is expensive to copy, which happens at each event.
  private final class Attachment {
    private(set) weak var receiver: (any LocationSourceReceiver)?
    var interests: LocationSourceInterests
    /// Whether it has come to want the satellites after others had been told of them.
    var lacksSatellites: Bool

    init(_ receiver: any LocationSourceReceiver, interests: LocationSourceInterests, lacksSatellites: Bool) {
      (self.receiver, self.interests, self.lacksSatellites) = (receiver, interests, lacksSatellites)
    }
  }

  private var receivers: [Attachment] = []
  private var isRunning = false
  /// How often a receiver was attached or detached.
  private var changes = 0
  /// The satellites that the receivers were told of last, for one that comes to want them.
  private var satellites: [Satellite]?
  private nonisolated let union = Atomic<UInt8>(0)
  private let start: @MainActor () -> Void
  private let stop: @MainActor () -> Void

  /// Creates a hub that calls `start` for the first receiver and `stop` after the last.
  public init(start: @escaping @MainActor () -> Void, stop: @escaping @MainActor () -> Void) {
    self.start = start
    self.stop = stop
  }

  /// What the receivers want together. Any thread may ask at any time; a reading thread does before it decodes.
  public nonisolated var interests: LocationSourceInterests {
    LocationSourceInterests(rawValue: union.load(ordering: .relaxed))
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

  /// Adds a receiver, once, and looks at what it wants, each time.
  ///
  /// One that comes to want the satellites hears of those that are known before the next event.
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
    var isAnyoneGone = false
    let changesBefore = changes
    // A receiver may attach or detach while another is called, so this goes over a copy, and asks again after a change.
    for entry in receivers {
      guard let receiver = entry.receiver else {
        isAnyoneGone = true
        continue
      }
      let current = changes == changesBefore ? entry : receivers.first { $0.receiver === receiver }
      if let current, current.interests.include(event) { receiver.receive(event) }
    }
    // One that was released without detaching must not keep the source running.
    if isAnyoneGone {
      receivers.removeAll { $0.receiver == nil }
      update()
    }
  }

  /// Keeps the satellites, and tells those of them who have come to want them since.
  private func catchUp(with event: LocationSourceEvent) {
    switch event {
    case .satellites(let new):
      satellites = new
      for index in receivers.indices { receivers[index].lacksSatellites = false }
    case .status(.connected): break
    case .status, .finished: satellites = nil
    case .location, .noFix, .heading, .failed: break
    }
    // It may attach or detach somebody: others hear before the event after this one.
    guard let satellites, let index = receivers.firstIndex(where: \.lacksSatellites) else { return }
    receivers[index].lacksSatellites = false
    receivers[index].receiver?.receive(.satellites(satellites))
  }

  /// Brings the source in line with its receivers.
  private func update() {
    let all = receivers.reduce(LocationSourceInterests()) { $0.union($1.interests) }
    if !all.contains(.satellites) { satellites = nil }
    union.store(all.rawValue, ordering: .relaxed)
    guard isRunning == receivers.isEmpty else { return }
    isRunning.toggle()
    if isRunning { start() } else { stop() }
  }
}
