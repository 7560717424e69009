import TestSupport
import Testing

@testable import TerminalKit

@MainActor @Suite(.inTurn) struct SurfaceTests {
  private func surface(_ width: Int, _ height: Int = 1, isASCII: Bool = false, _ draw: (Canvas) -> Void) -> Surface {
    let surface = Surface(size: Size(width: width, height: height), isASCII: isASCII)
    draw(Canvas(surface))
    return surface
  }

  @Test func textIsCutAtTheEdges() {
    let surface = surface(5) { $0.write("position", x: -1, y: 0) }
    #expect(surface.text == "ositi\n")
  }

  @Test func aWideCharacterTakesTwoCellsOrNone() {
    #expect(surface(4) { $0.write("地図x", x: 0, y: 0) }.text == "地図\n")
    #expect(surface(3) { $0.write("地図", x: 0, y: 0) }.text == "地\n")
    #expect("地図x".columns == 5)
    #expect("地図x".truncated(toColumns: 4) == "地…")
  }

  @Test func halfOfAWideCharacterIsNeverLeft() {
    let right = surface(4) {
      $0.write("地図", x: 0, y: 0)
      $0.write("a", x: 1, y: 0)
    }
    #expect(right.text == " a図\n")
    let left = surface(4) {
      $0.write("地図", x: 0, y: 0)
      $0.write("b", x: 2, y: 0)
    }
    #expect(left.rows[0].map(\.character) == ["地", nil, "b", " "])
  }

  @Test(arguments: ["\u{1B}", "\n", "\u{7}", "\u{9B}", "\u{202E}", "\u{200B}", "\u{301}"])
  func whatWouldSteerTheTerminalIsAQuestionMark(character: String) {
    #expect(surface(1) { $0.write(character, x: 0, y: 0) }.text == "?\n")
  }

  @Test func aTerminalWithoutUTF8HasTheNearestASCII() {
    let surface = surface(12, isASCII: true) { $0.write("┌─█░° é…", x: 0, y: 0) }
    #expect(surface.text == "+-#.  ?~\n")
  }

  @Test func aCanvasInsideAnotherIsClippedByBoth() {
    let surface = surface(6, 2) { canvas in
      canvas.inside(Rect(x: 1, y: 0, width: 4, height: 1)).inside(Rect(x: 2, y: 0, width: 9, height: 9))
        .write("abcd", x: 0, y: 0)
    }
    #expect(surface.text == "   ab\n\n")
  }
}
