/// Bytes under construction: a growing buffer that a formatter fills and its owner empties and fills again.
///
/// It exists so that a record costs no allocation and no bounds-checked append per byte: a formatter
/// reserves what a record can need at most and then stores.
public struct RecordBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes there are.
  public private(set) var count = 0

  /// Creates an empty buffer with room for `capacity` bytes; it grows when needed.
  public init(capacity: Int = 1024) {
    self.capacity = max(capacity, 64)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Whether there are no bytes.
  public var isEmpty: Bool { count == 0 }

  /// Forgets the bytes and keeps the room.
  public mutating func removeAll() { count = 0 }

  /// Takes back the last `length` bytes, or all when there are fewer.
  public mutating func removeLast(_ length: Int) { count -= min(max(length, 0), count) }

  /// The bytes, valid while `body` runs.
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Appends text that the program itself holds; its bytes are taken as they are.
  @inline(__always)
  public mutating func append(_ literal: StaticString) {
    let length = literal.utf8CodeUnitCount
    reserve(length)
    (base + count).update(from: literal.utf8Start, count: length)
    count += length
  }

  /// Appends one byte.
  @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends bytes.
  public mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends what `fill` stores in a space of `most` bytes; `fill` returns how many it stored.
  @inline(__always)
  mutating func append(most: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
    reserve(most)
    count += fill(base + count)
  }

  @inline(__always)
  private mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(by: length) }
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let larger = max(capacity * 2, count + length)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: base, count: count)
    base.deallocate()
    base = moved
    capacity = larger
  }
}
