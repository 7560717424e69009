import Foundation
import TestSupport
import Testing

/// `rxlocationd track --split`: a file for each day or trip.
@Suite(.startsPrograms) struct TrackSplitTests {
  private let recording = "Recordings/drive.nmea"

  @Test func tripsAreFiles() async throws {
    let folder = try TemporaryFolder()
    let arguments = ["--split", "trip", "--stop-after", "20", "--stop-within", "20", "--format", "json"]
    let whole = try await DaemonProcess.run(["track", recording, "--format", "json"] + arguments[2...5])
    let trips = whole.output.components(separatedBy: #""type":"trip""#).count - 1
    #expect(trips > 1)
    let result = try await DaemonProcess.run(["track", recording] + arguments + ["--output", folder.path("{}.json")])
    #expect(result.status == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files.count == trips)
    #expect(files.first == "2026-05-06-1.json")
    // Each from its trip's first fix to its last.
    func times(_ text: String) -> [String] {
      text.matches(of: /"start":"([^"]+)","end":"([^"]+)"/).map { "\($0.1) \($0.2)" }
    }
    let expected = whole.lines.filter { $0.contains(#""type":"trip""#) }.flatMap { times(String($0)) }
    let found = try files.compactMap { times(try String(contentsOfFile: folder.path($0), encoding: .utf8)).first }
    #expect(found.sorted() == expected)
  }

  @Test func aDayThatComesAgainIsAnotherFile() async throws {
    let folder = try TemporaryFolder()
    let lines = ["06T01", "07T02", "06T03"].map { time in
      #"{"type":"location","time":"2026-05-\#(time):00:00Z","latitude":48,"longitude":11}"# + "\n"
    }
    let path = try folder.write(lines.joined(), to: "x.ndjson")
    let arguments = ["track", path, "--split", "day", "--format", "csv", "--output", folder.path("{}.csv")]
    #expect(try await DaemonProcess.run(arguments).status == 0)
    for (name, time) in [("06", "06T01"), ("07", "07T02"), ("06-2", "06T03")] {
      let text = try String(contentsOfFile: folder.path("2026-05-\(name).csv"), encoding: .utf8)
      let times = text.split(separator: "\n").dropFirst().map { String($0.prefix(13)) }
      #expect(times == ["2026-05-\(time)"])
    }
  }

  @Test func eachDayCountsItsOwnJumps() async throws {
    let folder = try TemporaryFolder()
    // A degree to the north and back on the first day only.
    let lines = (0..<6).map { hour in
      let latitude = hour == 1 ? 49.0 : 48.0 + 0.01 * Double(hour)
      let time = "2026-05-0\(hour < 3 ? 6 : 7)T0\(hour):00:00Z"
      return #"<trkpt lat="\#(latitude)" lon="11"><time>\#(time)</time></trkpt>"#
    }
    let path = try folder.write(
      """
      <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\(lines.joined())</trkseg></trk></gpx>
      """, to: "jump.gpx")
    let result = try await DaemonProcess.run([
      "track", path, "--max-speed", "10", "--split", "day", "--format", "json", "--output", folder.path("{}.json"),
    ])
    #expect(result.status == 0, "\(result.messages)")
    let jumps = try ["06", "07"].map { day in
      let text = try String(contentsOfFile: folder.path("2026-05-\(day).json"), encoding: .utf8)
      return text.components(separatedBy: #""jumps":"#)[1].prefix { $0 != "," }
    }
    #expect(jumps == ["1", "0"])
  }
}
