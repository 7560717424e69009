import ArgumentParser
import Foundation
import Glibc
import TestSupport
import Testing

@testable import rxlocationd

/// Two outputs with one destination are refused before anything is written.
@Suite(.inTurn) struct DestinationTests {
  private func problem(_ arguments: [String], record: String? = nil) -> String? {
    do {
      try Settings.parse(["--format", "none"] + arguments).checkMachine(record: record)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("a file is known by its device and inode, whatever its name")
  func files() throws {
    let folder = TemporaryFolder()
    let (log, link, other) = (try folder.write("", to: "log"), folder.path("link"), folder.path("other"))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: log)
    try FileManager.default.linkItem(atPath: log, toPath: other)
    for name in [log, link, other, folder.path("./log")] {
      #expect(
        problem(["--region-log", log], record: name)
          == "region log \(log) and record \(name) are the same destination; give each output its own")
    }
    #expect(problem(["--region-log", log, "--journal", log]) != nil)
    #expect(problem(["--region-log", log], record: folder.path("new")) == nil)
  }

  @Test("a new file is known by its folder and its name")
  func newFiles() throws {
    let folder = TemporaryFolder()
    let new = folder.path("new")
    #expect(problem(["--region-log", new], record: folder.path("./new")) != nil)
    #expect(problem(["--region-log", new], record: folder.path("newer")) == nil)
    #expect(problem(["--region-socket", "unix:\(new)", "--nmea", "unix:\(new)"]) != nil)
    #expect(problem(["--region-socket", "unix:\(new)", "--region-log", new]) != nil)
    // A stale socket is replaced, as by one output.
    _ = try folder.write("", to: "new")
    #expect(problem(["--nmea", "unix:\(new)", "--nmea", "unix:\(new)"]) != nil)
    #expect(problem(["--region-log", "/dev/null"], record: "/dev/null") == nil)
  }

  @Test(
    "an address is known by its host and port",
    arguments: [
      (["--map", "localhost:8080", "--metrics", "localhost:8080"], true),
      (["--map", "localhost:8080", "--metrics", "localhost:8081"], false),
      (["--map", "localhost:8080", "--nmea", "tcp:*:8080"], true),
      (["--nmea", "tcp:[::]:8080", "--nmea", "tcp:192.0.2.1:8080"], true),
      (["--nmea", "tcp:192.0.2.2:8080", "--nmea", "tcp:192.0.2.1:8080"], false),
      (["--map", "localhost:0", "--metrics", "localhost:0"], false),
    ])
  func addresses(arguments: [String], isRefused: Bool) {
    #expect((problem(arguments) != nil) == isRefused)
  }
}
