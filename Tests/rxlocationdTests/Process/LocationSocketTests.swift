import Foundation
import TestSupport
import Testing

@Suite(.startsPrograms) struct LocationSocketTests {
  private let folder = TestSupport.TemporaryFolder()
  private let path: String

  init() throws { path = folder.path("s") }

  /// A replay of standard input that serves locations, and has read the first epochs.
  private func replay(_ flags: [String] = [], epochs: Range<Int> = 0..<10) throws -> DaemonProcess {
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--location-socket", "unix:\(path)"] + flags, keepsInputOpen: true)
    process.feed(epochs)
    return process
  }

  @Test func aReaderGetsThePresentStateAndTheRecordsOfStandardOutput() async throws {
    let process = try replay(["--fence", "a=51.17,-0.125,2000"])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 5 }
    let reader = try await SocketReader(unix: path)
    let first = try await reader.lines { !$0.records("state").isEmpty }
    // Up to the state; the last of the first epochs may follow.
    let greeting = Array(first.prefix(1 + (first.firstIndex { $0.contains(#"{"type":"state""#) } ?? 0)))
    #expect(greeting.records("source").first?["status"] as? String == "connected", "\(greeting)")
    #expect(greeting.records("state").first?["fix"] as? String == "current")
    #expect(greeting.records("location").count == 1)
    #expect(greeting.first?.hasPrefix(#"{"type":"clock","seconds":"#) == true)

    process.feed(10..<20)
    process.feed(20..<24, hasFix: false)
    let lines = try await reader.lines { lines in
      lines.records("state").contains { $0["fix"] as? String == "lost" && $0["reason"] as? String == "receiver" }
    }
    let error = try #require(lines.firstIndex { $0.contains(#""code":"locationUnknown""#) })
    let loss = try #require(lines.firstIndex { $0.contains(#""fix":"lost""#) })
    #expect(error < loss)
    // A reader that comes later learns of the loss, and gets no old place.
    let later = try await SocketReader(unix: path)
    let state = try await later.lines { !$0.records("state").isEmpty }
    #expect(state.records("location").isEmpty && state.records("state").first?["fix"] as? String == "lost")
    process.closeInput()
    let end = try await reader.lines { $0.records("source").last?["status"] as? String == "finished" }
    let result = try await process.waitUntilExit(status: 0)
    // The same lines in the same order.
    let streamed = end.filter { line in
      ["location", "fence", "error"].contains { line.contains(#"{"type":"\#($0)""#) }
    }
    #expect(result.lines.suffix(streamed.count - 1).map(String.init) == Array(streamed.dropFirst()))
  }

  @Test func aLineThatIsNoRequestIsRefusedInWordsAndHarmsNobody() async throws {
    let process = try replay()
    let (rude, other) = (try await SocketReader(unix: path), try await SocketReader(unix: path))
    _ = try await other.lines { !$0.records("state").isEmpty }
    let requests = ["watch everything", "satellites", #"{"watch":true}"#, "watch satellites headings gpx"]
    for request in requests { rude.write("\(request)\r\n") }
    let answers = try await rude.lines { $0.records("refused").count == requests.count }.records("refused")
    for (request, answer) in zip(requests, answers) {
      let message = answer["message"] as? String ?? "nothing"
      #expect(message.hasPrefix("'\(request)' is not a request; expected watch"), "\(message)")
    }
    // Bytes of every kind cost nothing but the reader's own connection.
    rude.write(String(repeating: "\u{0}\u{1B}watch ", count: 20_000))
    rude.write(String(repeating: "watch satellites\n", count: 2000))
    process.feed(10..<20)
    _ = try await other.lines { $0.records("location").count > 5 }
    try await process.terminate()
  }

  @Test(arguments: ["geojson", "csv", "gpx"])
  func theOtherFormatsAreThoseOfStandardOutput(format: String) async throws {
    let process = try replay(["--location-socket-format", format, "--format", format])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 8 }
    let reader = try await SocketReader(unix: path)
    _ = try await reader.lines(atLeast: 1)
    process.feed(10..<20)
    process.closeInput()
    #expect(await eventually { reader.hasEnded })
    let lines = try await reader.lines(atLeast: 1)
    let result = try await process.waitUntilExit(status: 0)
    switch format {
    case "geojson":
      #expect(lines.allSatisfy { $0.hasPrefix("\u{1E}{\"type\":\"Feature\"") }, "\(lines)")
      #expect(lines.contains { $0.contains(#""geometry":null,"properties":{"type":"source","status":"connected""#) })
    case "csv": #expect(lines[0].hasPrefix("time,latitude,") && lines.count > 10)
    default:
      #expect(lines[0].hasPrefix("<?xml") && lines.last == "</trkseg></trk></gpx>")
      #expect(lines.count { $0.hasPrefix("<trkpt") } > 10)
    }
    // What came after the greeting is the end of the stream.
    let common = lines.filter { !$0.contains(#""geometry":null"#) }.suffix(5)
    #expect(result.lines.suffix(5).map(String.init) == Array(common))
  }

  // MARK: The examples of the manual

  /// The literal blocks of the manual's section, as `man` shows them.
  private func example(with word: String) throws -> String {
    let manual = try Checkout.text("man/rxlocationd.8")
    let section = try #require(manual.components(separatedBy: ".Sh LOCATION SERVICE").last)
    let blocks = section.components(separatedBy: ".Bd -literal").dropFirst().compactMap { text in
      text.components(separatedBy: "\n.Ed").first?.split(separator: "\n").dropFirst().joined(separator: "\n")
    }
    let block = try #require(blocks.first { $0.contains(word) })
    return block.replacing("\\e", with: "\\").replacing("/run/rxlocationd/location.sock", with: path)
  }

  /// Has a program follow a replay until it has printed what it should.
  private func follow(_ program: String, _ arguments: [String], until isPrinted: (String) -> Bool) async throws {
    let process = try replay()
    try await process.wait(for: "the socket") { access(path, F_OK) == 0 }
    let reader = try DaemonProcess(program, arguments)
    var epoch = 10
    try await reader.wait(for: "its lines") {
      process.write(NMEA.epoch(epoch))
      epoch += 1
      return isPrinted(reader.output)
    }
    process.closeInput()
    try await process.waitUntilExit(status: 0)
    try await reader.waitUntilExit(status: 0)
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no python3 on this host"))
  func theManualsPythonProgramPrintsPositionsAndSatellites() async throws {
    let program = try example(with: "import json")
    #expect(program.split(separator: "\n").count <= 10)
    try await follow("/usr/bin/python3", ["-u", "-c", program]) { $0.contains("8 satellites") && $0.contains("51.") }
  }

  @Test(.enabled(if: access("/usr/bin/socat", X_OK) == 0, "there is no socat on this host"))
  func theManualsSocatPrintsRecords() async throws {
    let words = try example(with: "socat").split(separator: " ").map(String.init)
    try await follow("/usr/bin/socat", Array(words.dropFirst())) { $0.contains(#"{"type":"location""#) }
  }
}
