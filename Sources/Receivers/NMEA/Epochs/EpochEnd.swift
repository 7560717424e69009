/// Learns which sentence ends a receiver's epochs.
///
/// Each sentence has a score, which rises by 1 when the sentence was the last of an epoch and falls by 2 when another
/// followed. A sentence with a score above 0 counts as the end. So one epoch is enough to learn the end or to unlearn a
/// wrong one, and a lost line cannot turn a sentence that others usually follow into an end.
struct EpochEnd {
  private static let limit: Int8 = 2

  /// Indexed by the bit of a sentence; see `bit`.
  private var scores = InlineArray<32, Int8>(repeating: 0)
  /// The sentences of this epoch that others have followed, one bit each.
  private var followed: UInt32 = 0
  /// The bit of the last sentence; 0, which no sentence has, before the first.
  private var last = 0
  /// How many GSA the epoch has had: receivers send one for each constellation, and only the last can be the end.
  private var gsaCount = 0

  /// Notes a sentence that concerns the fix. Returns whether epochs usually end with it.
  mutating func receive(_ kind: NMEASentenceKind) -> Bool {
    if kind == .gsa { gsaCount += 1 }
    let bit = bit(of: kind)
    if bit != last { followed |= 1 << UInt32(last) }
    last = bit
    return scores[bit] > 0
  }

  mutating func learn() {
    let lastBit: UInt32 = 1 << UInt32(last)
    // A repeated last sentence teaches nothing.
    if followed & lastBit == 0 { scores[last] = min(Self.limit, scores[last] + 1) }
    followed &= ~lastBit
    while followed != 0 {
      let bit = followed.trailingZeroBitCount
      scores[bit] = max(-Self.limit, scores[bit] - 2)
      followed &= followed &- 1
    }
    // No sentence has bit 0.
    scores[0] = 0
    forget()
  }

  mutating func forget() {
    followed = 0
    last = 0
    gsaCount = 0
  }

  /// The kind's own number. The second to the seventh GSA have numbers above those of the kinds.
  private func bit(of kind: NMEASentenceKind) -> Int {
    kind == .gsa && gsaCount > 1 ? min(24 + gsaCount, 31) : Int(kind.rawValue)
  }
}
