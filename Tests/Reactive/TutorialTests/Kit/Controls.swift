import Rx
import RxTerminal
import TerminalKit

// What the tutorials have beyond TerminalKit's controls.

final class Slider: Control {
  var value = 0.0

  func drag(to value: Double) {
    self.value = value
    sendActions(for: .editingChanged)
  }
}

/// A label that remembers every text that it was given.
final class LoggedLabel: Label {
  private(set) var texts: [String?] = []
  override var text: String? { didSet { texts.append(text) } }
}

/// A cell with a bag for what is bound to it while it shows one row.
class BoundCell: ListCell {
  private(set) var bag = DisposeBag()

  override func prepareForReuse() {
    super.prepareForReuse()
    bag = DisposeBag()
  }
}

extension ListView {
  /// A list that is high enough for the rows of a test.
  static func tall() -> ListView {
    let list = ListView()
    list.frame = Rect(x: 0, y: 0, width: 40, height: 20)
    return list
  }
}
