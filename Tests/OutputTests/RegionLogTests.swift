import Testing

@testable import Output

@Suite struct RegionLogTests {
  @Test func linesAreAppended() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("regions.log")
    for run in 0..<2 {
      let log = try RegionLog(path: path)
      for number in 0..<10 { log.append(record("\(run).\(number)\n")) }
      #expect(log.finish(within: .seconds(20)))
    }
    #expect(contents(path) == (0..<20).map { "\($0 / 10).\($0 % 10)\n" }.joined())
  }
}
