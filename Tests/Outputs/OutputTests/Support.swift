@testable import Formats
import Foundation

@testable import Output

/// What a formatter appends, as text.
func text(_ fill: (inout RecordBuffer) -> Void) -> String {
  var buffer = RecordBuffer(capacity: 64)
  fill(&buffer)
  return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// A record buffer that holds text.
func record(_ text: String) -> RecordBuffer {
  var buffer = RecordBuffer()
  var text = text
  text.withUTF8 { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  return buffer
}
