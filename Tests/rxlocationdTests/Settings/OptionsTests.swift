import ArgumentParser
import Testing

@testable import rxlocationd

/// What is made of settings that other programs have to understand.
@Suite struct OptionsTests {
  @Test(arguments: [("ann", "ann"), ("a/b", "a-b"), ("+", "-"), ("a#b", "a-b")])
  func aNameIsOneLevelOfTheTopic(user: String, level: String) throws {
    let options = try PublishingOptions.parse(["--publish", "mqtt://localhost", "--publish-user", user])
    let configuration = "\(try #require(options.configuration))"
    let topic = try #require(configuration.firstMatch(of: /"(owntracks[^"]*)"/)).output.1
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    #expect(levels.count == 3, "\(topic)")
    #expect(levels[1] == level)
    #expect(!levels[2].isEmpty && !levels[2].contains("."))
  }

  @Test func aZoneIsOneOfTheSystems() {
    for name in ["UTC", "local", "Europe/Berlin"] { #expect((try? TimeZoneOption(parsing: name)) != nil, "\(name)") }
    for name in ["", "/etc/localtime", "../zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin", "Europe", "tzdata.zi"] {
      #expect((try? TimeZoneOption(parsing: name)) == nil, "\(name)")
    }
  }
}
