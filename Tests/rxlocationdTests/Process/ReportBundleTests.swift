import Foundation
import Testing
import TestSupport

/// `doctor --bundle`: an archive for a report of a fault.
@Suite(.startsPrograms) struct ReportBundleTests {
  private let folder = TemporaryFolder()

  /// Runs doctor and unpacks its bundle. Returns its output, and the files' texts by their names.
  private func bundle(
    _ flags: [String], in folder: TemporaryFolder
  ) async throws -> (output: String, files: [String: String]) {
    let path = folder.path("report.tgz")
    let result = try await DaemonProcess.run(
      ["doctor", "--gpsd", "127.0.0.1:9", "--timeout", "0.1", "--bundle", path] + flags, status: 69)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    return (result.output, try await unpack(folder))
  }

  private func unpack(_ folder: TemporaryFolder) async throws -> [String: String] {
    let tar = try await DaemonProcess("/bin/tar", ["-xzf", folder.path("report.tgz"), "-C", folder.path])
      .waitUntilExit()
    #expect(tar.status == 0, "\(tar.messages)")
    let unpacked = folder.path("rxlocationd-report")
    var files: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: unpacked) {
      files[name] = try String(contentsOfFile: "\(unpacked)/\(name)", encoding: .utf8)
    }
    return files
  }

  /// A record of 40 s in two pieces, and a settings file with it.
  private func settings(in folder: TemporaryFolder) async throws -> String {
    let lines = (10..<50).map {
      "17641240\($0).000001: "
        + #"{"class":"TPV","device":"/dev/a","time":"2025-11-26T02:26:\#($0).000Z","mode":3,"lat":51.5\#($0),"lon":-0.125}"#
        + "\n"
    }
    try folder.write(lines.prefix(20).joined(), to: "gps.record.000001")
    try await DaemonProcess("/bin/gzip", [folder.path("gps.record.000001")]).waitUntilExit(status: 0)
    let record = try folder.write(lines.suffix(20).joined(), to: "gps.record")
    return try folder.write(
      "# Alice's house\nfence home=51.5,-0.125,300\npublish https://Dora@127.0.0.1:9/api/webhook/token\nsubscribe-user Alice\n"
        + "publish mqtt://127.0.0.1:9\npublish-user Bobby\npublish-topic owntracks/Carol/car\n"
        + "record \(record)\n",
      to: "settings")
  }

  @Test func theBundleHasNoSecretsAndPlaysAgain() async throws {
    let (output, files) = try await bundle(["--config", try await settings(in: folder), "--bundle-offset"], in: folder)
    #expect(output.contains("ok       bundle: "))
    #expect(output.contains("the last 39 s"), "\(output)")
    #expect(Set(files.keys) == ["README.txt", "versions.txt", "doctor.txt", "settings.txt", "gps.record"])
    #expect(files["versions.txt"]?.hasPrefix("rxlocationd ") == true)
    #expect(files["doctor.txt"]?.contains("FAILED   connection: 127.0.0.1:9") == true)
    #expect(files["settings.txt"]?.contains("publish https://127.0.0.1:9/…\n") == true)
    for text in files.values {
      for secret in ["Alice", "Bobby", "Carol", "Dora", "token", ":-0.125}", ":51.530,", "51.5,-0.125"] {
        #expect(!text.contains(secret), "\(text)")
      }
    }
    // The moved record and fence still fit each other.
    let fence = try #require(files["settings.txt"]?.split(separator: "\n").first { $0.hasPrefix("fence ") })
    let replay = try await DaemonProcess.run([
      "replay", folder.path("rxlocationd-report/gps.record"), "--speed", "max", "--\(fence.replacing(" ", with: "="))",
      "--distance-filter", "0",
    ])
    #expect(replay.status == 0, "\(replay.messages)")
    #expect(replay.lines.count { $0.contains(#""type":"location""#) } == 40)
  }

  @Test func withoutAnOffsetTheRecordStaysAsItIs() async throws {
    let (output, files) = try await bundle(["--config", try await settings(in: folder)], in: folder)
    #expect(output.contains("with --bundle-offset they are moved"))
    #expect(files["gps.record"]?.contains(#""lat":51.530,"lon":-0.125"#) == true)
    #expect(files["settings.txt"]?.contains("fence home=51.5,-0.125,300\n") == true)
  }

  @Test("what destinations see of the current fix is not in a bundle with moved coordinates", arguments: [true, false])
  func currentFix(isMoved: Bool) async throws {
    let gpsd = try ScriptedGPSD(seed: 1)
    let process = try DaemonProcess(
      [
        "doctor", "--gpsd", "127.0.0.1:\(gpsd.port)", "--timeout", "2", "--map", "127.0.0.1:0", "--map-privacy",
        "grid:10", "--nmea",
        "tcp:127.0.0.1:0", "--bundle", folder.path("report.tgz"),
      ] + (isMoved ? ["--bundle-offset"] : []))
    try await gpsd.connect(process)
    gpsd.send(1, at: #""mode":3,"lat":51.53,"lon":-0.125"#)
    let output = try await process.waitUntilExit().output
    #expect(output.contains("privacy: map page 127.0.0.1:0 sees 51.5") && output.contains("sees 51.53000"), "\(output)")
    let text = try #require(try await unpack(folder)["doctor.txt"])
    #expect(text.contains("3D fix"))
    #expect((text.contains("privacy") || text.contains("51.5")) == !isMoved, "\(text)")
  }

  @Test func anAbsentRecordIsNamed() async throws {
    let (output, files) = try await bundle(["--record", folder.path("none")], in: folder)
    #expect(output.contains("warning  bundle: ") && output.contains("cannot be read"), "\(output)")
    #expect(files["gps.record"] == nil)
    let path = folder.path("none/report.tgz")
    try await DaemonProcess.run(
      ["doctor", "--gpsd", "127.0.0.1:9", "--timeout", "0.1", "--bundle", path], status: 73,
      saying: "\(path): cannot be created")
  }
}
