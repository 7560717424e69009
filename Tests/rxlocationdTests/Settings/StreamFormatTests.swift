import Testing

@testable import rxlocationd

@Suite struct StreamFormatTests {
  @Test func formatsHaveNames() throws {
    for format in StreamFormat.allCases { #expect(try StreamFormat(parsing: format.rawValue) == format) }
    #expect(throws: SettingError("'kml' is not a format; expected one of ndjson, geojson, gpx, csv, none")) {
      try StreamFormat(parsing: "kml")
    }
  }
}
