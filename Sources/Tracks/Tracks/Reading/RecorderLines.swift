import FoundationEssentials
import LocationKit
import Platform
import Records

/// The files of OwnTracks Recorder: when a message came, what it is, and the message as JSON, with tabs between them. A
/// location is a fix; messages of other types say nothing of a track.
struct RecorderLines: LineFormat {
  /// Whether a line is one of them.
  static func isRecord(_ line: some Sequence<UInt8>) -> Bool {
    let fields = Array(line).split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
    return fields.count == 3 && fields[2].first == UInt8(ascii: "{")
      && fields[0].withUnsafeBufferPointer {
        var timestamps = TimestampReader()
        return timestamps.read($0) != nil
      }
  }

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: (DecodedRecord) -> Void) {
    do throws(RecordFault) {
      guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else {
        throw RecordFault(.damaged, "has no message")
      }
      var message = Message()
      var reader = JSONReader(UnsafeBufferPointer(rebasing: bytes[brace...]))
      do throws(JSONError) {
        try reader.forEachMember { message.take($0, $1) }
      } catch {
        throw RecordFault(.damaged, error.description)
      }
      guard message.isLocation else { return }
      if let fault = message.fault { throw fault }
      emit(.event(.fix(try message.draft.checked())))
    } catch {
      emit(.skipped(error, line: line))
    }
  }

  /// What a message has said so far.
  private struct Message {
    var draft = Location(latitude: .nan, longitude: .nan)
    var isLocation = false
    var fault: RecordFault?

    mutating func take(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value) {
      if case .string(let text) = value, key.equals("_type") { isLocation = text.equals("location") }
      guard case .number(let text) = value else { return }
      guard let number = Double(decimal: text) else {
        fault = fault ?? RecordFault(.number, "has a number that is none")
        return
      }
      if key.equals("lat") { draft.coordinate.latitude = number }
      if key.equals("lon") { draft.coordinate.longitude = number }
      if key.equals("tst") { draft.timestamp = Date(timeIntervalSince1970: number) }
      if key.equals("acc") { draft.horizontalAccuracy = number }
      if key.equals("vac") { draft.verticalAccuracy = number }
      if key.equals("cog") { draft.course = number }
      // Kilometres per hour.
      if key.equals("vel") { draft.speed = number / 3.6 }
      if key.equals("alt") {
        draft.altitude = number
        draft.mode = .threeDimensional
      }
    }
  }
}
