import Foundation
import LocationKit
import Rx
import RxTerminal
import TerminalKit
import Testing
import TestSupport

/// The pages "The five tutorials on a terminal": their code is a file beside this one, and what they show is what that draws.
@MainActor @Suite(.inTurn) struct ArticleTests {
  private static let pages = "Sources/Terminal/RxTerminal/RxTerminal.docc"

  private func blocks(of page: String, _ language: String) throws -> [String] {
    try String(contentsOf: Checkout.file("\(Self.pages)/\(page).md"), encoding: .utf8)
      .components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
  }

  /// Compares what a page says with what its controller draws after `keys`.
  private func check(_ page: String, _ screen: Screen, width: Int = 40, height: Int = 6) throws {
    screen.size = Size(width: width, height: height)
    let code = try String(
      contentsOf: Checkout.file("Tests/Terminal/RxTerminalTests/Articles/\(page).swift"), encoding: .utf8)
    #expect(try blocks(of: page, "swift") == [code], "\(page)")
    #expect(try blocks(of: page, "text") == [screen.render().text], "\(page) draws:\n\(screen.render().text)")
  }

  private func press(_ screen: Screen, _ text: String, _ keys: Key...) {
    _ = screen.render()
    for key in text.map({ Key.character($0) }) + keys {
      screen.press(key)
      _ = screen.render()
    }
  }

  @Test func theFirst() throws {
    let controller = TodoController()
    // The field has the keys again once the button is disabled.
    press(controller.screen, "water the plants", .tab, .enter)
    press(controller.screen, "feed the cat", .tab, .enter, .tab, .enter)
    try check("FirstTutorial", controller.screen)
    #expect(!controller.addButton.isEnabled)
  }

  @Test func theSecond() throws {
    let controller = VolumeController()
    press(controller.screen, "", .right, .right, .right, .left, .tab, .enter, .backTab, .right)
    try check("SecondTutorial", controller.screen, height: 4)
    #expect(abs(controller.slider.value - 0.6) < 1e-9)
  }

  @Test func theThird() throws {
    let tickets = ["opera", "operetta", "zoo"].enumerated().map { Ticket(id: $0, title: $1) }
    let controller = ArchiveController(ArchiveViewModel(tickets))
    press(controller.screen, "oper", .tab, .delete)
    try check("ThirdTutorial", controller.screen, height: 5)
    #expect(controller.list.numberOfRows == 1)
  }

  @Test func theFourth() throws {
    let source = SimulatedLocationSource(clock: VirtualClock())
    let manager = LocationManager(source: source)
    let controller = WhereController(manager)
    manager.startUpdatingLocation()
    source.send(
      .location(
        Location(coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), speed: 16)))
    source.send(.failed(LocationError(.locationUnknown, "no fix for 10 s")))
    try check("FourthTutorial", controller.screen, height: 3)
  }

  @Test func theFifth() throws {
    let controller = ShopController(
      .just([
        Product(name: "compass", summary: "It knows where north is.", price: 12),
        Product(name: "sextant", summary: "It knows how high the sun is.", price: 340),
      ]))
    press(controller.screen, "", .enter, .enter, .down, .enter)
    try check("FifthTutorial", controller.screen, height: 9)
    press(controller.screen, "", .escape)
    #expect(controller.basketLabel.text == "12 € to pay")
    #expect(controller.list.selectedRow == nil)
  }
}
