/// Learns with which sentence the epochs of a receiver end.
///
/// Each sentence has a score: it rises by 1 when the sentence was the last of an epoch and falls by 2 when another followed.
/// Above 0 the sentence is taken for the end. So one epoch is enough to learn the end at first, one is enough to unlearn a wrong
/// one, and a lost line does not make an end of a sentence that others have followed all the time.
struct EpochEnd {
  private static let limit: Int8 = 2

  /// By the bit of a sentence; see `bit`.
  private var scores = InlineArray<32, Int8>(repeating: 0)
  /// The sentences of this epoch that others have followed, one bit each.
  private var followed: UInt32 = 0
  /// The bit of the last sentence; 0, that of no sentence, before the first.
  private var last = 0
  /// How many GSA the epoch has had: there is one for each constellation, and the last of them counts.
  private var gsaCount = 0

  /// Takes a sentence that says something of the fix. Returns whether epochs usually end with it.
  mutating func take(_ kind: NMEASentenceKind) -> Bool {
    if kind == .gsa { gsaCount += 1 }
    let bit = bit(of: kind)
    if bit != last { followed |= 1 << UInt32(last) }
    last = bit
    return scores[bit] > 0
  }

  /// The epoch is over.
  mutating func learn() {
    let lastBit: UInt32 = 1 << UInt32(last)
    // A sentence that came again as the last says nothing.
    if followed & lastBit == 0 { scores[last] = min(Self.limit, scores[last] + 1) }
    followed &= ~lastBit
    while followed != 0 {
      let bit = followed.trailingZeroBitCount
      scores[bit] = max(-Self.limit, scores[bit] - 2)
      followed &= followed &- 1
    }
    // There is no sentence of bit 0.
    scores[0] = 0
    forget()
  }

  /// The epoch is over and says nothing of the order.
  mutating func forget() {
    followed = 0
    last = 0
    gsaCount = 0
  }

  /// The kind's own number; of GSA the second to the seventh have those above the kinds'.
  private func bit(of kind: NMEASentenceKind) -> Int {
    kind == .gsa && gsaCount > 1 ? min(24 + gsaCount, 31) : Int(kind.rawValue)
  }
}
