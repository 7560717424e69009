import Output
import Records
import NIOCore
import Sockets

/// All clients of the region sockets. Confined to the event loop.
final class RegionHub {
  private static let batchSize = 32 << 10

  let feed: RegionFeed
  private let configuration: RegionSocket.Configuration
  private let onNotice: OutputNotice.Handler
  private var readers: [ObjectIdentifier: RegionConnection] = [:]
  private let allocator = ByteBufferAllocator()
  /// The number of the next update; readers at this number have everything.
  private(set) var head = 0
  /// The batch that a reader with everything up to `batchStart` needs, made once for all of them.
  private var shared: (start: Int, next: Int, buffer: ByteBuffer)?
  private var formatter = NDJSONFormatter()
  private var scratch = RecordBuffer(capacity: 128)
  private let readerLimit: Int
  private var isRefusing = false
  private let loop: any EventLoop
  /// The next look for readers that take nothing; there is one only while something may wait for somebody.
  private var stallCheck: Scheduled<Void>?
  /// What to complete when everyone is gone; empty until the end.
  private var drained: [EventLoopPromise<Void>] = []

  init(
    loop: any EventLoop, feed: RegionFeed, configuration: RegionSocket.Configuration,
    onNotice: @escaping OutputNotice.Handler
  ) {
    self.loop = loop
    self.feed = feed
    self.configuration = configuration
    readerLimit = min(configuration.readerLimit, DescriptorLimit.current - DescriptorLimit.reserve)
    self.onNotice = onNotice
  }

  /// Adds a reader and gives it the current region; `nil` when there are too many.
  func add(_ reader: RegionConnection, greeting: inout ByteBuffer) -> Int? {
    if readers.count >= readerLimit { closeOneHalfClosed() }
    guard readers.count < readerLimit, drained.isEmpty else {
      feed.count { $0.refused += 1 }
      if !isRefusing && drained.isEmpty {
        isRefusing = true
        onNotice(
          OutputNotice(
            .warning,
            "region socket: \(readers.count) readers are the limit; further ones are refused"))
      }
      return nil
    }
    readers[ObjectIdentifier(reader)] = reader
    return feed.join(&greeting)
  }

  /// Removes a reader that was added, once.
  func remove(_ reader: RegionConnection) {
    guard readers.removeValue(forKey: ObjectIdentifier(reader)) != nil else { return }
    feed.leave()
    // Half a limit below, so that a limit that is reached again and again is reported once.
    if readers.count <= readerLimit / 2 { isRefusing = false }
    if readers.isEmpty { for promise in drained { promise.succeed() } }
  }

  /// Sends what is new to everyone who takes it.
  func flush() {
    head = feed.beginFlush()
    shared = nil
    for reader in readers.values { reader.pump() }
    if stallCheck == nil, !readers.isEmpty { scheduleStallCheck() }
  }

  /// The next updates from `cursor` on, and how many were lost before them.
  func batch(from cursor: Int) -> (lost: Int, buffer: ByteBuffer, next: Int) {
    if let shared, shared.start == cursor { return (0, shared.buffer, shared.next) }
    var buffer = allocator.buffer(capacity: 256)
    let (lost, next) = feed.read(from: cursor, limit: Self.batchSize, into: &buffer)
    if lost == 0 && next >= head { shared = (cursor, next, buffer) }
    head = max(head, next)
    return (lost, buffer, next)
  }

  /// The record that says how many updates a client has lost.
  func droppedRecord(_ count: Int) -> ByteBuffer {
    scratch.removeAll()
    formatter.append(dropped: count, to: &scratch)
    return scratch.withUnsafeBytes { allocator.buffer(bytes: $0) }
  }

  private func scheduleStallCheck() {
    let interval = TimeAmount.nanoseconds(
      min(max(TimeAmount(configuration.stallTimeout).nanoseconds / 10, 10_000_000), 3_000_000_000))
    stallCheck = loop.assumeIsolated().scheduleTask(in: interval) { self.closeStalled() }
  }

  /// Closes the readers of whom nothing was taken for the stall timeout, and looks again as long as something waits.
  private func closeStalled() {
    stallCheck = nil
    let now = NIODeadline.now()
    let timeout = configuration.stallTimeout
    var isWaiting = false
    for reader in Array(readers.values) {
      guard let time = reader.timeWithoutProgress(at: now) else { continue }
      isWaiting = true
      guard time >= TimeAmount(timeout) else { continue }
      feed.count { $0.stalled += 1 }
      onNotice(
        OutputNotice(.warning, "region socket: a reader took nothing for \(timeout); closed"))
      reader.channel.close(promise: nil)
    }
    if isWaiting { scheduleStallCheck() }
  }

  /// Sends everything and closes everyone; completes the promise when all are gone.
  func finish(_ promise: EventLoopPromise<Void>) {
    drained.append(promise)
    head = feed.beginFlush()
    shared = nil
    for reader in Array(readers.values) { reader.finish() }
    if readers.isEmpty {
      promise.succeed()
    } else if stallCheck == nil {
      scheduleStallCheck()
    }
  }

  /// Closes everyone at once.
  func closeAll() {
    for reader in Array(readers.values) { reader.channel.close(promise: nil) }
  }

  /// A TCP reader that is gone looks like one that only stopped sending, until something is sent to it.
  private func closeOneHalfClosed() {
    readers.values.first { $0.isHalfClosed }?.channel.close(promise: nil)
  }
}
