@testable import Records

/// What a formatter appends, as text.
func text(_ fill: (inout RecordBuffer) -> Void) -> String {
  var buffer = RecordBuffer(capacity: 64)
  fill(&buffer)
  return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}
