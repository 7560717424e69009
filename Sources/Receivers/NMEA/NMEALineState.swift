/// Where in its lines a decoder is.
struct NMEALineState: Sendable {
  /// What the line has been so far.
  enum Content: UInt8 {
    /// Nothing yet.
    case empty
    /// Nothing but a comment, a TAG block or a sentence.
    case known
    /// Something that belongs to no sentence.
    case noise
    /// A comment: everything up to the line's end is ignored.
    case comment
    /// A TAG block, up to its second backslash.
    case tagBlock
  }

  var content = Content.empty
  /// Whether the last byte was CR, so that an LF now ends no second line.
  var isAfterCarriageReturn = false
}
