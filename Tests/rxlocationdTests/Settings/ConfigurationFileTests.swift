import Logging
import Output
import Testing

@testable import rxlocationd

@Suite struct ConfigurationFileTests {
  private func message(_ text: String) -> String {
    do {
      _ = try ConfigurationFile(parsing: text, path: "x.toml")
      return "was taken"
    } catch {
      #expect(error.status == .configuration)
      return error.message
    }
  }

  @Test func saysEverythingThatTheFlagsSay() throws {
    let text = """
      gpsd = "example.org:2948:/dev/ttyUSB0"
      format = "csv"
      region-log = "/tmp/regions"
      region-socket = ["unix:/tmp/socket", "tcp:127.0.0.1:2949"]
      region-socket-mode = "600"
      region-socket-group = "dialout"
      reader-limit = 12
      metrics = "127.0.0.1:9468"
      span = 2000
      distance-filter = 2.5
      accuracy = 30
      stale-after = 5
      log-level = "debug"
      [[fence]]
      id = "home"
      latitude = 1
      longitude = -2.5
      radius = 50
      [[fence]]
      id = "work"
      latitude = 3
      longitude = 4
      radius = 60.5
      """
    let layer = try ConfigurationFile(parsing: text, path: "x.toml").layer
    #expect(layer.gpsd != nil)
    #expect(layer.format == .csv)
    #expect(layer.regionLog == "/tmp/regions")
    #expect(layer.regionSockets.count == 2)
    #expect(layer.regionSocketMode == 0o600)
    #expect(layer.regionSocketGroup == "dialout")
    #expect(layer.readerLimit == 12)
    #expect(layer.metrics != nil)
    #expect(layer.span == 2000)
    #expect(layer.distanceFilter == 2.5)
    #expect(layer.accuracy == 30)
    #expect(layer.staleAfter == 5)
    #expect(layer.logLevel == .debug)
    #expect(layer.fences.map(\.identifier) == ["home", "work"])
    #expect(layer.fences.map(\.radius) == [50, 60.5])
  }

  @Test func namesFileLineKeyAndWhatWasExpected() {
    #expect(message("\nspan = \"wide\"") == "x.toml:2: 'span': expected a number, found a string")
    #expect(message("format = 3") == "x.toml:1: 'format': expected a format in quotes, found an integer")
    #expect(message("span = 0").hasPrefix("x.toml:1: 'span': '0' is out of range; expected a number of metres from"))
    #expect(message("sapn = 1").hasPrefix("x.toml:1: unknown key 'sapn'"))
    #expect(message("[fence]\n").hasPrefix("x.toml:1: write [[fence]] with two brackets"))
    #expect(message("[[fences]]\n").hasPrefix("x.toml:1: unknown table 'fences'"))
    #expect(message("[[fence]]\nid = \"a\"\n").hasPrefix("x.toml:1: [[fence]] has no 'latitude'"))
    #expect(message("span =").hasPrefix("x.toml:1: 'span' has no value"))
  }

  @Test func flagsWinOverTheFile() throws {
    let file = try ConfigurationFile(parsing: "span = 5\nstale-after = 7", path: "x").layer
    var flags = SettingsLayer()
    flags.span = 9
    let settings = try Settings(flags.over(file))
    #expect(settings.span == 9)
    #expect(settings.staleAfter == 7)
    #expect(settings.format == .ndjson)
  }

  @Test func refusesWhatContradictsItself() throws {
    let twice = try ConfigurationFile(
      parsing: String(repeating: "[[fence]]\nid=\"a\"\nlatitude=1\nlongitude=1\nradius=1\n", count: 2), path: "x")
    #expect(throws: SettingError("fence 'a' is given twice; give each fence a name of its own")) {
      try Settings(twice.layer)
    }
    let both = try ConfigurationFile(parsing: "region-log = \"-\"", path: "x")
    #expect(throws: SettingError.self) { try Settings(both.layer) }
  }
}
