import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct FenceTests {
  @Test func readsNamePositionAndRadius() throws {
    let home = Region(center: .init(latitude: 37.7858, longitude: -122.4064), radius: 50, identifier: "home")
    #expect(try Region(parsing: "home=37.7858,-122.4064,50") == home)
  }

  @Test(arguments: [
    ("=1,2,3", "has no name"), ("home", "'home' has no '='"), ("1,2,3", "has no '='"), ("a=1,2", "three numbers"),
    ("a=1,2,50m", "'50m' in 'a=1,2,50m' is not a number"), ("a=1,,2", "'' in 'a=1,,2' is not a number"),
    ("a=1,2,3,4", "three numbers"), ("a=1,,2,3", "three numbers"),
    ("a=b=1,2,3", "'b=1' in"), ("a=91,0,5", "is not a coordinate"), ("a=0,181,5", "is not a coordinate"),
    ("a=nan,0,5", "'nan' in"), ("a=0,0,0", "above 0"), ("a=0,0,-1", "above 0"), ("a=0,0,inf", "'inf' in"),
    ("a=0,0,10000001", "at most 10000000.0"),
  ])
  func saysWhatIsWrong(text: String, part: String) {
    let error = #expect(throws: SettingError.self) { try Region(parsing: text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }
}
