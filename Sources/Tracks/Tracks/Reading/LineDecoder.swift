import FoundationEssentials
import GPSD
import LocationKit
import Records

protocol LineFormat {
  typealias Emit = (DecodedRecord) -> Void

  /// Reads a line, and emits its records and the values that cannot be used. Throws why the line is skipped.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: Emit) throws(RecordFault)
}

/// A recording with one record per line. Empty lines are ignored. A line of more than 1 MiB is skipped, and not kept in
/// memory.
struct LineDecoder<Format: LineFormat>: TrackDecoder {
  private var format: Format
  private var line = 0
  private var pending: [UInt8] = []
  /// Whether the line whose end has not been read yet is too long; none of it is kept.
  private var isTooLong = false

  private var longestLine: Int { 1 << 20 }

  init(_ format: Format) { self.format = format }

  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let piece = UnsafeBufferPointer(rebasing: rest[..<end])
      rest = rest[(end + 1)...]
      line += 1
      if pending.isEmpty, !isTooLong, piece.count <= longestLine {
        read(piece, emit)
      } else {
        keep(piece[...])
        endPending(emit)
      }
    }
    keep(rest)
  }

  mutating func finish(_ emit: (DecodedRecord) -> Void) {
    line += 1
    endPending(emit)
  }

  private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    if pending.count + bytes.count > longestLine { isTooLong = true }
    if isTooLong { pending = [] } else { pending += bytes }
  }

  private mutating func endPending(_ emit: (DecodedRecord) -> Void) {
    let whole = pending
    pending.removeAll(keepingCapacity: true)
    if isTooLong { emit(.skipped(RecordFault(.damaged, "is longer than 1 MiB"), line: line)) }
    isTooLong = false
    whole.withUnsafeBufferPointer { read($0, emit) }
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (DecodedRecord) -> Void) {
    var bytes = bytes
    // Files that were put together have a byte order mark in the middle.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = UnsafeBufferPointer(rebasing: bytes[3...]) }
    if bytes.allSatisfy(\.isSpace) { return }
    do throws(RecordFault) {
      try format.read(bytes, line: line, emit)
    } catch {
      emit(.skipped(error, line: line))
    }
  }
}

/// This program's JSON lines: a location is a fix, an error with the code `locationUnknown` is a gap, and records of
/// other types are ignored. A line that is not a record, or a location without its position, is skipped. An unreadable
/// value is left out.
struct NDJSONLines: LineFormat {
  private var values = MemberReader()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: Emit) throws(RecordFault) {
    var record = TrackRecord()
    var reader = JSONReader(bytes)
    do throws(JSONError) {
      try reader.forEachMember { record.read($0, $1, &values) }
    } catch {
      throw RecordFault(.damaged, error.description)
    }
    switch record.type {
    case .location:
      let fix = try record.location()
      for fault in record.faults { emit(.skipped(fault, line: line)) }
      emit(.event(.fix(fix)))
    case .error where record.isLoss: emit(.event(.gap))
    case nil: throw RecordFault(.damaged, "is not a record of this program: it has no type")
    default: break
    }
  }
}

private struct TrackRecord {
  enum Kind {
    case location
    case error
    case other
  }

  private(set) var type: Kind?
  private(set) var isLoss = false
  private(set) var faults: [RecordFault] = []
  private var members = LocationMembers()

  func location() throws(RecordFault) -> Location { try members.location.checked() }

  mutating func read(_ key: UnsafeBufferPointer<UInt8>, _ value: JSONReader.Value, _ values: inout MemberReader) {
    if case .string(let text) = value, key.equals("type") {
      type = text.equals("location") ? .location : text.equals("error") ? .error : .other
    } else if case .string(let text) = value, key.equals("code") {
      isLoss = text.equals("locationUnknown")
    } else if let fault = members.read(key, value, &values) {
      faults.append(RecordFault(fault))
    }
  }
}

/// The files of OwnTracks Recorder: the time of a message, its type, and the message as JSON, separated by tabs. A
/// location is a fix; messages of other types are ignored.
struct RecorderLines: LineFormat {
  static func isRecord(_ line: some Sequence<UInt8>) -> Bool {
    let fields = Array(line).split(separator: 0x09, maxSplits: 2, omittingEmptySubsequences: false)
    return fields.count == 3 && fields[2].first == UInt8(ascii: "{")
      && Date(timestamp: String(decoding: fields[0], as: UTF8.self)) != nil
  }

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: Emit) throws(RecordFault) {
    guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { throw RecordFault(.damaged, "has no message") }
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
  }
}

/// A record of gpsd, of `run --record` or of `gpspipe -w -uu`.
struct GPSDLines: LineFormat {
  private var decoder = GPSDRecordDecoder()

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, _ emit: Emit) throws(RecordFault) {
    let isRead = decoder?.decode(bytes) { event in
      switch event {
      case .location(let location): emit(.event(.fix(location)))
      case .noFix, .status(.waiting): emit(.event(.gap))
      case .heading, .satellites, .status, .failed, .finished: break
      }
    }
    if isRead != true { throw RecordFault(.damaged, "is not a time and one of gpsd's reports") }
  }
}
