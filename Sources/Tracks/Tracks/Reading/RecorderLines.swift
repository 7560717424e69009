import LocationKit
import Records

/// The files of OwnTracks Recorder: the time of a message, its type, and the message as JSON, separated by tabs. A
/// location is a fix; messages of other types are ignored.
struct RecorderLines: LineFormat {
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
      var isLocation = false
      var place = OwnTracksLocation()
      var reader = JSONReader(UnsafeBufferPointer(rebasing: bytes[brace...]))
      do throws(JSONError) {
        try reader.forEachMember { key, value in
          if case .string(let text) = value, key.equals("_type") { isLocation = text.equals("location") }
          place.read(key, value)
        }
      } catch {
        throw RecordFault(.damaged, error.description)
      }
      guard isLocation else { return }
      let fix = try place.location.checked()
      if let text = place.invalidTime { emit(.skipped(.invalid(.time, text), line: line)) }
      if let text = place.invalidNumber { emit(.skipped(.invalid(.number, text), line: line)) }
      emit(.event(.fix(fix)))
    } catch {
      emit(.skipped(error, line: line))
    }
  }
}
