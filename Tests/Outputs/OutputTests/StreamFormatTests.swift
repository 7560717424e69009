import Testing

@testable import Output

@Suite struct StreamFormatTests {
  @Test func formatsHaveNames() throws {
    for format in StreamFormat.allCases { #expect(try StreamFormat(parsing: format.rawValue) == format) }
    let error = #expect(throws: OutputError.self) { try StreamFormat(parsing: "kml") }
    #expect(error?.message == "\"kml\" is not a format; expected one of ndjson, geojson, gpx, csv, none")
  }
}
