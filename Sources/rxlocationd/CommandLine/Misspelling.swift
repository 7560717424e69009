enum Misspelling {
  /// The nearest of `words`; `nil` if more than a third of the letters would have to change.
  static func correction(of word: some StringProtocol, among words: [String]) -> String? {
    let ranked = words.map { (distance: distance(Array(word), Array($0)), word: $0) }.min { $0.distance < $1.distance }
    return ranked.flatMap { $0.distance <= max(1, word.count / 3) ? $0.word : nil }
  }

  /// The number of letters to insert, remove or replace, or of neighbours to exchange: the distance of Damerau and Levenshtein.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for (index, letter) in one.enumerated() {
      let above = rows[index]
      var row = [index + 1]
      for (column, otherLetter) in other.enumerated() {
        var least = min(above[column] + (letter == otherLetter ? 0 : 1), above[column + 1] + 1, row[column] + 1)
        if index > 0, column > 0, letter == other[column - 1], one[index - 1] == otherLetter {
          least = min(least, rows[index - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
