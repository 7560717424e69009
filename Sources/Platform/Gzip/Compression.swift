import CZlib

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
