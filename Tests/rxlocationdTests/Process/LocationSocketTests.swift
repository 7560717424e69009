import Foundation
import TestSupport
import Testing

/// Location sockets of the running program.
@Suite(.startsPrograms) struct LocationSocketTests {
  private let folder: TestSupport.TemporaryFolder
  private let path: String

  init() throws {
    folder = try TestSupport.TemporaryFolder()
    path = folder.path("s")
  }

  /// A replay of standard input that serves locations, and has read the first epochs.
  private func replay(_ flags: [String] = [], epochs: Range<Int> = 0..<10) throws -> DaemonProcess {
    let process = try DaemonProcess(
      ["replay", "-", "--speed", "max", "--location-socket", "unix:\(path)"] + flags, keepsInputOpen: true)
    process.write(Data(epochs.map { NMEA.epoch($0) }.joined().utf8))
    return process
  }

  private func records(_ lines: [String], _ type: String) -> [[String: Any]] {
    lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }

  @Test func aReaderGetsThePresentStateAndTheRecordsOfStandardOutput() async throws {
    let process = try replay(["--fence", "a=51.17,-0.125,2000"])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 5 }
    let reader = try await SocketReader(unix: path)
    let greeting = try await reader.lines { !records($0, "state").isEmpty }
    #expect(records(greeting, "source").first?["status"] as? String == "connected", "\(greeting)")
    #expect(records(greeting, "state").first?["fix"] as? String == "current")
    #expect(records(greeting, "location").count == 1)
    #expect(greeting.first?.hasPrefix(#"{"type":"clock","seconds":"#) == true)

    process.write(Data((10..<20).map { NMEA.epoch($0) }.joined().utf8))
    process.write(Data((20..<24).map { NMEA.epoch($0, hasFix: false) }.joined().utf8))
    let lines = try await reader.lines { lines in
      records(lines, "state").contains { $0["fix"] as? String == "lost" && $0["reason"] as? String == "receiver" }
    }
    let error = try #require(lines.firstIndex { $0.contains(#""code":"locationUnknown""#) })
    let loss = try #require(lines.firstIndex { $0.contains(#""fix":"lost""#) })
    #expect(error < loss)
    // A reader that comes later learns of the loss, and gets no old place.
    let later = try await SocketReader(unix: path)
    let state = try await later.lines { !records($0, "state").isEmpty }
    #expect(records(state, "location").isEmpty && records(state, "state").first?["fix"] as? String == "lost")
    process.closeInput()
    let end = try await reader.lines { records($0, "source").last?["status"] as? String == "finished" }
    let result = try await process.waitUntilExit()
    #expect(result.status == 0, "\(result.messages)")
    // The same lines in the same order.
    let streamed = end.filter { line in
      ["location", "fence", "error"].contains { line.contains(#"{"type":"\#($0)""#) }
    }
    #expect(result.lines.suffix(streamed.count - 1).map(String.init) == Array(streamed.dropFirst()))
  }

  @Test func satellitesAreForReadersWhoAsk() async throws {
    let process = try replay()
    let (plain, asking) = (try await SocketReader(unix: path), try await SocketReader(unix: path))
    asking.write("watch satellites\n")
    var epoch = 10
    let lines = try await asking.lines { lines in
      process.write(Data(NMEA.epoch(epoch).utf8))
      epoch += 1
      return !records(lines, "satellites").isEmpty
    }
    let satellites = try #require(records(lines, "satellites").last?["satellites"] as? [[String: Any]])
    #expect(satellites.count == 8 && satellites.first?["system"] as? String == "GPS")
    // The answer to the second line shows that the first one was read.
    asking.write("watch\nenough\n")
    let before = records(try await asking.lines { !records($0, "refused").isEmpty }, "satellites").count
    process.write(Data((epoch..<epoch + 10).map { NMEA.epoch($0) }.joined().utf8))
    process.closeInput()
    let end = try await asking.lines { records($0, "source").last?["status"] as? String == "finished" }
    #expect(records(end, "satellites").count == before)
    let other = try await plain.lines { records($0, "source").last?["status"] as? String == "finished" }
    #expect(records(other, "satellites").isEmpty && records(other, "location").count > 10)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0, "\(result.messages)")
  }

  @Test(arguments: ["watch everything", "satellites", #"{"watch":true}"#, "watch satellites headings gpx"])
  func aLineThatIsNoRequestIsRefusedInWords(line: String) async throws {
    let process = try replay()
    let reader = try await SocketReader(unix: path)
    reader.write("\(line)\r\n")
    let answer = records(try await reader.lines { !records($0, "refused").isEmpty }, "refused")
    let message = answer.first?["message"] as? String
    #expect(message?.hasPrefix("'\(line)' is not a request; expected watch") == true, "\(message ?? "nothing")")
    try await process.terminate()
  }

  /// Bytes of every kind from a reader cost nothing but its own connection.
  @Test func rubbishFromAReaderHarmsNobody() async throws {
    let process = try replay()
    let (rude, other) = (try await SocketReader(unix: path), try await SocketReader(unix: path))
    _ = try await other.lines { !records($0, "state").isEmpty }
    rude.write(String(repeating: "\u{0}\u{1B}watch ", count: 20_000))
    rude.write(String(repeating: "watch satellites\n", count: 2000))
    process.write(Data((10..<20).map { NMEA.epoch($0) }.joined().utf8))
    _ = try await other.lines { records($0, "location").count > 5 }
    try await process.terminate()
  }

  @Test(arguments: ["geojson", "csv", "gpx"])
  func theOtherFormatsAreThoseOfStandardOutput(format: String) async throws {
    let process = try replay(["--location-socket-format", format, "--format", format])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 8 }
    let reader = try await SocketReader(unix: path)
    _ = try await reader.lines(atLeast: 1)
    process.write(Data((10..<20).map { NMEA.epoch($0) }.joined().utf8))
    process.closeInput()
    #expect(await eventually { reader.hasEnded })
    let lines = try await reader.lines(atLeast: 1)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0, "\(result.messages)")
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

  @Test func thePolicyHidesThePlaceAndTheGreetingToo() async throws {
    let process = try replay(
      ["--location-socket-privacy", "hide:home", "--fence", "home=51.17,-0.125,5000"], epochs: 0..<60)
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 50 }
    let reader = try await SocketReader(unix: path)
    reader.write("watch satellites\n")
    var epoch = 60
    _ = try await reader.lines { lines in
      process.write(Data(NMEA.epoch(epoch).utf8))
      epoch += 1
      return epoch > 120 && !records(lines, "satellites").isEmpty
    }
    process.closeInput()
    let lines = try await reader.lines { records($0, "source").last?["status"] as? String == "finished" }
    #expect(records(lines, "location").isEmpty && records(lines, "fence").isEmpty, "\(lines)")
    #expect(
      records(lines, "satellites").allSatisfy { ($0["satellites"] as? [Any])?.isEmpty == true }, "\(lines)")
    #expect(try await process.waitUntilExit().status == 0)
  }

  // MARK: The examples of the manual

  /// The literal blocks of the manual's section, as `man` shows them.
  private func example(with word: String) throws -> String {
    let manual = try String(contentsOf: Checkout.file("man/rxlocationd.8"), encoding: .utf8)
    let section = try #require(manual.components(separatedBy: ".Sh LOCATION SERVICE").last)
    let blocks = section.components(separatedBy: ".Bd -literal").dropFirst().compactMap { text in
      text.components(separatedBy: "\n.Ed").first?.split(separator: "\n").dropFirst().joined(separator: "\n")
    }
    let block = try #require(blocks.first { $0.contains(word) })
    return block.replacing("\\e", with: "\\").replacing("/run/rxlocationd/location.sock", with: path)
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no python3 on this host"))
  func theManualsPythonProgramPrintsPositionsAndSatellites() async throws {
    let program = try example(with: "import json")
    #expect(program.split(separator: "\n").count <= 10)
    let process = try replay()
    try await process.wait(for: "the socket") { access(path, F_OK) == 0 }
    let reader = try DaemonProcess("/usr/bin/python3", ["-u", "-c", program])
    var epoch = 10
    try await reader.wait(for: "satellites") {
      process.write(Data(NMEA.epoch(epoch).utf8))
      epoch += 1
      return reader.output.contains("8 satellites") && reader.output.contains("51.")
    }
    process.closeInput()
    #expect(try await process.waitUntilExit().status == 0)
    #expect(try await reader.waitUntilExit().status == 0, "\(reader.messages)")
  }

  @Test(.enabled(if: access("/usr/bin/socat", X_OK) == 0, "there is no socat on this host"))
  func theManualsSocatPrintsRecords() async throws {
    let words = try example(with: "socat").split(separator: " ").map(String.init)
    let process = try replay()
    try await process.wait(for: "the socket") { access(path, F_OK) == 0 }
    let reader = try DaemonProcess("/usr/bin/socat", Array(words.dropFirst()))
    try await reader.wait(for: "a location") { reader.output.contains(#"{"type":"location""#) }
    process.closeInput()
    #expect(try await process.waitUntilExit().status == 0)
    #expect(try await reader.waitUntilExit().status == 0, "\(reader.messages)")
  }
}
