import FoundationEssentials
import GPSD
import Glibc
import Platform
import LocationKit
import Writing
import Records
import Replay
import SystemPackage

/// An archive for a report of a fault: the settings without secrets, versions, doctor's findings and the last minutes of
/// the record.
struct ReportBundle {
  /// Seconds of the record.
  private static let recordLength = 600

  let path: String
  /// Moves all coordinates; `nil` leaves them as they are.
  let offset: CoordinateOffset?
  private var files: [(name: String, about: String, bytes: [UInt8])] = []

  init(path: String, offset: CoordinateOffset?) { (self.path, self.offset) = (path, offset) }

  /// Packs everything, without the words of `secrets` in the findings. Returns a finding that says what is in the archive.
  mutating func write(
    _ findings: [Diagnosis], without secrets: [String], settingsFile: FilePath?, record: String?
  ) async throws(CommandError) -> Diagnosis {
    // What a destination sees of the location is a place.
    let findings = offset == nil ? findings : findings.filter { $0.step != "privacy" }
    add("versions.txt", "versions of this program and of the system", Self.versions)
    add(
      "doctor.txt", counted(findings.count, "finding"), Self.redacted(findings.map { $0.text + "\n" }.joined(), secrets)
    )
    if let settingsFile {
      let lines = try await ConfigurationFile.read(settingsFile, again: false).lines.map { redacted($0) + "\n" }
      add("settings.txt", "\(settingsFile) without comments, paths of addresses and passwords", lines.joined())
    }
    var hint: String?
    if let record {
      do {
        try add(record: record)
      } catch {
        hint = "without the record, since it cannot be read: \(error)"
      }
    } else {
      hint = "with the setting 'record PATH' there would be the last minutes of what gpsd said"
    }
    let contents = files.map { "\($0.name): \($0.about)" }
    add("README.txt", "this list", (contents + [privacy]).map { $0 + "\n" }.joined())
    let output = try OutputFile(path: path, mode: 0o600)
    do {
      let packed = try gzip(Self.tar(files.map { ($0.name, $0.bytes) }))
      var buffer = RecordBuffer()
      packed.withUnsafeBytes { buffer.append(contentsOf: $0) }
      try output.write(buffer)
      try output.finish()
    } catch {
      throw CommandError(.ioError, "\(path) cannot be written: \(error)")
    }
    return Diagnosis(
      step: "bundle", record != nil && hint != nil ? .warning : .ok,
      "\(path) has \(contents.joined(separator: "; ")); \(privacy)", hint: hint)
  }

  private var privacy: String {
    offset == nil
      ? "coordinates are as they were: with --bundle-offset they are moved"
      : "coordinates are moved by a secret offset, the latitude by at most 0.03°, so the shape of a way may still be found"
  }

  private mutating func add(_ name: String, _ about: String, _ text: String) {
    files.append((name, about, Array(text.utf8)))
  }

  private mutating func add(record: String) throws {
    let inputs = try RecordPieces.files(of: record).suffix(2).map { try ReplayInput.open(path: FilePath($0)) }
    let excerpt = try GPSDRecordExcerpt(of: inputs, seconds: Self.recordLength, movedBy: offset)
    let about =
      "the last \(fixedPoint(excerpt.duration, decimals: 0)) s of \(record), \(counted(excerpt.count, "line"))"
    files.append(("gps.record", about, excerpt.text))
  }

  private func redacted(_ line: ConfigurationFile.Line) -> String {
    let value = line.argument.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    if line.name == "fence", let offset, let fence = try? Region(parsing: value) {
      let center = offset.moved(fence.center)
      return "fence \(fence.identifier)=\(center.latitude),\(center.longitude),\(fence.radius)"
    }
    if Self.namesOfPeople.contains(where: line.name.hasSuffix) { return "\(line.name) …" }
    guard let scheme = value.firstRange(of: "://") else { return value.isEmpty ? line.name : "\(line.name) \(value)" }
    // A path or a query may be a token, and a user's name belongs to the user.
    let authority = value[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    let host = authority.split(separator: "@").last ?? ""
    return "\(line.name) \(value[..<scheme.upperBound])\(host)/…"
  }

  /// The ends of the names of settings whose values are names of people or of their devices.
  private static let namesOfPeople = ["-user", "topic", "-client-id", "-card-name", "-tid", "share"]

  /// A text without these words, and without the addresses of casters and servers that gpsd uses as devices.
  private static func redacted(_ text: String, _ secrets: [String]) -> String {
    let text = secrets.sorted { $0.count > $1.count }.reduce(text) { $0.replacing($1, with: "…") }
    return text.replacing(/(ntrip|dgpsip|tcp|udp|gpsd):\/\/[^\s,']+/) { "\($0.output.1)://…" }
  }

  private static var versions: String {
    var name = utsname()
    uname(&name)
    let kernel = withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let machine = withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    return "rxlocationd \(RxLocationD.version)\nLinux \(kernel) \(machine)\n\(release)"
  }

  /// The files in the format of tar (POSIX ustar).
  private static func tar(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var archive: [UInt8] = []
    let time = Int(Date.now.timeIntervalSince1970)
    for (name, bytes) in files {
      var header = [UInt8](repeating: 0, count: 512)
      func put(_ text: String, at offset: Int) {
        header.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
      }
      func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
      }
      put("rxlocationd-report/" + name, at: 0)
      put(octal(0o600, 7), at: 100)
      put(octal(0, 7), at: 108)
      put(octal(0, 7), at: 116)
      put(octal(bytes.count, 11), at: 124)
      put(octal(time, 11), at: 136)
      // The sum is that of a header with blanks in its place.
      put("        0", at: 148)
      put("ustar\u{0}00", at: 257)
      put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\u{0}", at: 148)
      archive += header + bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
    }
    return archive + [UInt8](repeating: 0, count: 1024)
  }
}
