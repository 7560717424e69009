import CZlib

/// Compresses bytes as `gzip -9` does.
///
/// - Throws: `noMemory`.
public func gzip(_ bytes: [UInt8]) throws(GzipError) -> [UInt8] {
  var stream = z_stream()
  // 15 is the window of every gzip, 16 asks for gzip's header.
  guard
    deflateInit2_(
      &stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  else { throw .noMemory }
  defer { deflateEnd(&stream) }
  let bound = Int(deflateBound(&stream, UInt(bytes.count)))
  var result = Z_OK
  let compressed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
    bytes.withUnsafeBufferPointer { input in
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      result = deflate(&stream, Z_FINISH)
      count = output.count - Int(stream.avail_out)
    }
  }
  guard result == Z_STREAM_END else { throw .noMemory }
  return compressed
}
