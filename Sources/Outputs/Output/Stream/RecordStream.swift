import Platform
public import Records
public import SystemPackage

/// Records on their way to a file descriptor, through an outbox whose limit is in bytes.
///
/// A record on its own goes into a pipe that has room without the outbox's thread, which spares a live reader its turn.
public final class RecordStream: Sendable {
  /// Why a stream ended.
  public typealias End = OutboxEnd<Errno>

  /// Appends a record that says that `count` records were dropped.
  public typealias DroppedDescription = @Sendable (_ count: Int, _ buffer: inout RecordBuffer) -> Void

  private let outbox: Outbox<RecordDestination>
  /// The descriptor of a pipe, which stays open and the same.
  private let pipe: Int32?

  /// Creates a stream to an open descriptor, which is not closed.
  /// - Parameters:
  ///   - descriptor: Blocking or not; its flags stay as they are.
  ///   - name: What a person calls it.
  ///   - mode: What happens when it is slow or fails.
  ///   - limit: How many bytes may wait, besides as many that are being written.
  ///   - describeDropped: Appends a record for the place where records were dropped.
  ///   - onNotice: Called on the stream's thread.
  ///   - onEnd: Called once, on the stream's thread, when nothing will be written any more.
  /// - Throws: `OutputError` when the system has no thread or descriptor to give.
  public convenience init(
    descriptor: Int32,
    name: String = "standard output",
    mode: OutboxMode,
    limit: Int = 4 << 20,
    describeDropped: @escaping DroppedDescription = { _, _ in },
    onNotice: @escaping OutputNotice.Handler = { _ in },
    onEnd: @escaping @Sendable (End) -> Void = { _ in }
  ) throws(OutputError) {
    try self.init(
      to: OpenDescriptor(descriptor, name: name), mode: mode, limit: limit,
      describeDropped: describeDropped, onNotice: onNotice, onEnd: onEnd)
  }

  init(
    to file: sending any RecordFile,
    mode: OutboxMode,
    limit: Int,
    describeDropped: @escaping DroppedDescription,
    onNotice: @escaping OutputNotice.Handler,
    onEnd: @escaping @Sendable (End) -> Void
  ) throws(OutputError) {
    let name = file.name
    pipe = (file as? OpenDescriptor).flatMap { $0.isPipe ? $0.descriptor : nil }
    do throws(Errno) {
      // One on its own is written at once; when many come, those of a millisecond are written together.
      outbox = try Outbox(
        to: RecordDestination(file, describeDropped: describeDropped), mode: mode, limit: limit, interval: 0.001,
        onNotice: onNotice, onEnd: onEnd)
    } catch {
      throw OutputError(.cannotCreate, "\(name) cannot be opened: \(error.description)")
    }
  }

  /// What notices and messages call the destination.
  public var name: String { outbox.name }

  /// Appends one record, or several whole ones that are dropped together. From any thread.
  ///
  /// - Parameters:
  ///   - record: Its bytes.
  ///   - isRecord: Whether it counts as one, which the header and the footer of a document do not.
  public func append(_ record: borrowing RecordBuffer, isRecord: Bool = true) {
    record.withUnsafeBytes { bytes in
      guard !bytes.isEmpty else { return }
      let store = { (batch: inout RecordBatch) in batch.append(bytes, isRecord: isRecord) }
      if let pipe {
        outbox.append(
          size: bytes.count, isRecord: isRecord, directly: { writeWhole(bytes, toPipe: pipe) }, store: store)
      } else {
        outbox.append(size: bytes.count, isRecord: isRecord, store: store)
      }
    }
  }

  /// What the stream has done so far; ``OutboxStatistics/amount`` are bytes.
  public var statistics: OutboxStatistics { outbox.statistics }

  /// Closes the destination and opens it again by its name, for logrotate, after what was appended so far. When that fails, a
  /// notice says so and the old one stays in use. A stream to an open descriptor stays as it is.
  public func reopen() { outbox.reopen() }

  /// Writes what waits, however long that takes, and says how the stream ended. `cancel` ends the waiting; what is
  /// appended later is dropped.
  @discardableResult
  public func finish() async -> End { await outbox.finish() }

  /// Drops what waits, and releases a caller that waits for room. From any thread.
  public func cancel() { outbox.cancel() }
}
