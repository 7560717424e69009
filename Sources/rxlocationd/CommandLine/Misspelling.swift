/// The word that was probably meant instead of an unknown one.
enum Misspelling {
  /// The nearest of `words`; `nil` if more than a third of the letters would have to change.
  static func correction(of word: some StringProtocol, among words: [String]) -> String? {
    let ranked = words.map { (distance: distance(Array(word), Array($0)), word: $0) }.min { $0.distance < $1.distance }
    return ranked.flatMap { $0.distance <= max(1, word.count / 3) ? $0.word : nil }
  }

  /// Levenshtein's distance: the letters to insert, remove or replace.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, otherLetter) in other.enumerated() {
        let changed = diagonal + (letter == otherLetter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
