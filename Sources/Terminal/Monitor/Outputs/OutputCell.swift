import TerminalKit

/// An output of a daemon in the list.
final class OutputCell: ListCell {
  func show(_ output: OutputItem) {
    let width = 17
    text = output.name + String(repeating: " ", count: max(1, width - output.name.columns)) + output.text
    style = output.hasLosses ? .color(.red) : .plain
  }
}
