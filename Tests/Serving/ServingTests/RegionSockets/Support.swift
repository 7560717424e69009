import Records

/// A record buffer that holds text.
func record(_ text: String) -> RecordBuffer {
  var buffer = RecordBuffer()
  var text = text
  text.withUTF8 { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  return buffer
}
