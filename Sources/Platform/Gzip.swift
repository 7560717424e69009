import CZlib

/// Why compressed data cannot be read to their end. The bytes that were decompressed before are good.
package enum GzipError: Error, Sendable, Hashable, CustomStringConvertible {
  case truncated
  /// The data were not written by gzip, or were changed since.
  case damaged
  case trailingBytes
  case noMemory

  package var description: String {
    switch self {
    case .truncated: "the gzip data end too early"
    case .damaged: "the gzip data are damaged"
    case .trailingBytes: "other bytes follow the gzip data"
    case .noMemory: "there is not enough memory to decompress"
    }
  }
}

/// Decompresses a stream of gzip members, as `gzip -d` does, piece by piece and in constant memory.
///
/// It is confined to the thread that created it.
package final class Gunzip {
  private static let outputSize = 128 * 1024

  /// zlib's state points back at this, so it must stay where it is.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableBufferPointer<UInt8>
  private var isInMember = false
  private var members = 0

  package init() throws(GzipError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(capacity: Self.outputSize)
    // 15 is the window of every gzip, 16 asks for gzip's header.
    guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .noMemory
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  package static func isGzip(_ head: some Collection<UInt8>) -> Bool { head.starts(with: [0x1F, 0x8B]) }

  /// Decompresses the next bytes and calls `body` with the result, in pieces that are valid during the call.
  ///
  /// - Throws: `GzipError`, after `body` has received all good bytes, and the errors of `body`.
  package func decompress(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = UInt32(bytes.count)
    var isFull = false
    while stream.pointee.avail_in > 0 || isFull {
      if !isInMember, members > 0, skipsPadding() { return }
      isInMember = true
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let result = inflate(stream, Z_NO_FLUSH)
      let count = output.count - Int(stream.pointee.avail_out)
      if count > 0 { try body(UnsafeBufferPointer(rebasing: output[..<count])) }
      isFull = stream.pointee.avail_out == 0
      switch result {
      case Z_OK: break
      // More input is needed.
      case Z_BUF_ERROR: return
      case Z_STREAM_END:
        members += 1
        isInMember = false
        isFull = false
        inflateReset(stream)
      case Z_MEM_ERROR: throw GzipError.noMemory
      // Bytes that do not begin a member do not belong to the gzip data.
      default: throw members > 0 && stream.pointee.total_out == 0 ? GzipError.trailingBytes : .damaged
      }
    }
  }

  /// Ends the input. Throws `truncated` in the middle of a member.
  package func finish() throws(GzipError) {
    if isInMember || members == 0 { throw .truncated }
  }

  /// Skips the zeros after a member, which fill up the blocks of tapes and disks. Returns whether nothing else is left.
  private func skipsPadding() -> Bool {
    while stream.pointee.avail_in > 0, let next = stream.pointee.next_in, next.pointee == 0 {
      stream.pointee.next_in = next + 1
      stream.pointee.avail_in -= 1
    }
    return stream.pointee.avail_in == 0
  }
}

/// Compresses bytes as `gzip -9` does.
package func gzip(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
  try GzipStream(level: Z_BEST_COMPRESSION).compress(bytes, isLast: true)
}

/// Compresses a stream of bytes as `gzip` does, piece by piece and in constant memory. It is confined to one thread.
package final class GzipStream {
  /// zlib's state points back at this, so it must stay where it is.
  private let stream: UnsafeMutablePointer<z_stream>

  package init(level: Int32 = Z_DEFAULT_COMPRESSION) throws(GzipError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the window of every gzip, 16 asks for gzip's header.
    guard
      deflateInit2_(
        stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .noMemory }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses the next bytes, and ends the data if they are the last. Returns the compressed bytes so far.
  package func compress(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    let bound = Int(deflateBound(stream, UInt(bytes.count))) + 64
    return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      bytes.withUnsafeBufferPointer { input in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
        count = output.count - Int(stream.pointee.avail_out)
      }
    }
  }
}
