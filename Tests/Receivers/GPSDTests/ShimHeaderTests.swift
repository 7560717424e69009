import Foundation
import TestSupport
import Testing

extension GPSDTests {
  /// The shim compiles against the gps.h of newer daemons.
  ///
  /// `CGPS_HEADERS` may name directories with a gps.h each, separated by colons: then the shim is compiled against
  /// those too. Always: against the installed one, and, when that is of API 11, against it with what is known to differ
  /// from it up to API 16 put in.
  struct ShimHeaderTests {
    private static let sources = Checkout.file("Sources/Receivers/CGPS")
    private static let installed = try? String(contentsOfFile: "/usr/include/gps.h", encoding: .utf8)
    private static let isEleven = installed?.contains(/#define GPSD_API_MAJOR_VERSION +11\b/) ?? false
    private static let given = ProcessInfo.processInfo.environment["CGPS_HEADERS"]?.components(separatedBy: ":")

    /// Compiles the shim against the gps.h in `directory`; returns what the compiler says.
    private func compile(against directory: String) throws -> String {
      let arguments =
        ["cc", "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", directory]
        + ["-I", Self.sources.appending(path: "include").path, Self.sources.appending(path: "cgps.c").path]
      do {
        return String(decoding: try Command.output("/usr/bin/env", arguments, withErrors: true), as: UTF8.self)
      } catch let error as SupportError {
        return error.description
      }
    }

    @Test(.enabled(if: given != nil, "CGPS_HEADERS names no directories")) func compilesAgainstGivenHeaders() throws {
      for directory in try #require(Self.given) {
        #expect(FileManager.default.fileExists(atPath: directory + "/gps.h"), "\(directory) has no gps.h")
        #expect(try compile(against: directory) == "", "\(directory)")
      }
    }

    @Test(.enabled(if: installed != nil, "libgps-dev is not installed"))
    func compilesAgainstTheInstalledHeader() throws {
      #expect(try compile(against: "/usr/include") == "")
    }

    @Test(.enabled(if: isEleven, "the installed gps.h is not of API 11"), arguments: [0, 12, 13, 14, 16])
    func compilesAgainstOtherVersions(version: Int) throws {
      var header = try #require(Self.installed)
      try replace("(#define GPSD_API_MAJOR_VERSION +)[0-9]+", "$1\(version)", in: &header)
      if version == 0 || version >= 12 {
        // Out of the union, to stop conflicts.
        header = header.replacingOccurrences(of: "        struct attitude_t attitude;\n", with: "")
        try replace("(    struct gps_fix_t +fix;)", "    struct attitude_t attitude;\n$1", in: &header)
        header = header.replacingOccurrences(of: "STATUS_NO_FIX", with: "STATUS_UNK")
        header = header.replacingOccurrences(of: "STATUS_FIX ", with: "STATUS_GPS ")
        try replace("gps_unpack\\((const )?char \\*", "gps_unpack(const char *", in: &header)
      }
      if version == 0 || version >= 14 { try replace("(#define MAXCHANNELS +)[0-9]+", "$1 184", in: &header) }

      let folder = TemporaryFolder()
      try folder.write(header, to: "gps.h")
      #expect(try compile(against: folder.path) == "")
    }

    @Test(.enabled(if: installed != nil, "libgps-dev is not installed")) func refusesOlderVersions() throws {
      var header = try #require(Self.installed)
      try replace("(#define GPSD_API_MAJOR_VERSION +)[0-9]+", "$110", in: &header)
      let folder = TemporaryFolder()
      try folder.write(header, to: "gps.h")
      #expect(try compile(against: folder.path).contains("libgps API 11"))
    }

    private func replace(_ pattern: String, _ template: String, in text: inout String) throws {
      let expression = try NSRegularExpression(pattern: pattern)
      let range = NSRange(text.startIndex..., in: text)
      try #require(expression.numberOfMatches(in: text, range: range) > 0, "gps.h has no '\(pattern)'")
      text = expression.stringByReplacingMatches(in: text, range: range, withTemplate: template)
    }
  }
}
