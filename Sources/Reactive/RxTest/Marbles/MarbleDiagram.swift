/// A marble string taken apart: which signs it has, and at which columns.
///
/// A column is a frame of time. Blanks take none. The signs of a group share the column of its `(`, and the group takes
/// as many frames as it has characters, so that what is written in one column happens at one time.
struct MarbleDiagram {
  /// A sign other than `-`, and where it is.
  struct Mark {
    let sign: Character
    let column: Int
    let position: Int
  }

  let text: String
  private(set) var marks: [Mark] = []

  init(_ text: String) throws(MarbleError) {
    self.text = text
    var column = 0
    var group: (column: Int, position: Int)?

    for (position, sign) in text.enumerated() where !sign.isWhitespace {
      switch sign {
      case "-" where group == nil:
        break
      case "(" where group == nil:
        group = (column, position)
      case ")" where group != nil:
        group = nil
      case "(", ")", "-":
        throw MarbleError(reason: .unbalancedGroup, diagram: text, position: position)
      default:
        marks.append(Mark(sign: sign, column: group?.column ?? column, position: position))
      }
      column += 1
    }
    if let group {
      throw MarbleError(reason: .unbalancedGroup, diagram: text, position: group.position)
    }
  }

  /// The column of the only `sign`, or `nil` without one.
  func column(of sign: Character) throws(MarbleError) -> Int? {
    let found = marks.filter { $0.sign == sign }
    if found.count > 1 { throw error(.misplacedSubscription, found[1]) }
    return found.first?.column
  }

  func error(_ reason: MarbleError.Reason, _ mark: Mark) -> MarbleError {
    MarbleError(reason: reason, diagram: text, position: mark.position)
  }
}
