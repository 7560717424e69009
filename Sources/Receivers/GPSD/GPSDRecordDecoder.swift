import FoundationEssentials
import LocationKit

/// Decodes the lines of a record into the events that a source with one listener sends. For one thread.
package struct GPSDRecordDecoder {
  private let decoder: ReportDecoder
  private var timeline = GPSDRecordTimeline()
  private var reception = GPSDReception()

  /// Creates a decoder; `nil` when memory is exhausted.
  package init?() {
    guard let decoder = ReportDecoder() else { return nil }
    self.decoder = decoder
  }

  /// Whether a line, perhaps without its end, begins as a record's does.
  package static func isRecord(_ line: some Sequence<UInt8>) -> Bool {
    let line = Array(line)
    if line.withUnsafeBytes({ GPSDRecord.parts(of: $0) != nil }) { return true }
    // The line may have been torn before its JSON.
    return line.count < 30 && line.allSatisfy("0123456789.:- ".utf8.contains)
  }

  /// Decodes a line without its end. Returns false if it is not a record's.
  package mutating func decode(_ line: UnsafeBufferPointer<UInt8>, _ body: (LocationSourceEvent) -> Void) -> Bool {
    let text = UnsafeRawBufferPointer(line)
    let end = text.last == UInt8(ascii: "\r") ? text.count - 1 : text.count
    guard let line = GPSDRecord.read(UnsafeRawBufferPointer(rebasing: text[..<end]), decoder, for: .locations) else {
      return false
    }
    timeline.move(to: line)
    guard line.report != .malformed else { return false }
    let limits = GPSDReception.Limits(staleAfter: 10)
    reception.receive(line.report, at: Double(timeline.now) / 1e6, for: limits).events.forEach(body)
    return true
  }

  /// The line that begins a piece of a record, in front of the line that follows it.
  package static func header(
    of endpoint: GPSDEndpoint, notBefore: Date, before following: UnsafeRawBufferPointer
  ) -> [UInt8] {
    GPSDRecord.parts(of: following).map {
      GPSDRecord.line($0.time, GPSDRecord.json(.continued(endpoint), notBefore: notBefore))
    } ?? []
  }
}
