import Glibc
import Testing

@testable import Output

@Suite struct RegionSocketTests {
  @Test func aReaderGetsTheCurrentRegionAndThenEachUpdate() async throws {
    let folder = try TemporaryFolder()
    let loop = NetworkLoop()
    let socket = RegionSocket(loop: loop)
    let path = folder.file("regions")
    try await socket.listen(on: .unix(path: path))
    socket.publish(record("old\n"))
    socket.publish(record("current\n"))
    let client = try Client.unix(path)
    #expect(client.line() == "current")
    for number in 0..<100 { socket.publish(record("\(number)\n")) }
    for number in 0..<100 { #expect(client.line() == "\(number)") }
    await socket.shutdown()
    #expect(client.line() == nil)
    #expect(access(path, F_OK) == -1)
    await loop.shutdown()
  }
}
