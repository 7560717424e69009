/// An encoding of one byte a character that GPX files occur in, besides those that expat knows (UTF-8, UTF-16, ISO-8859-1
/// and ASCII).
struct SingleByteEncoding {
  /// The character of each of the 256 bytes.
  let scalars: [Int32]

  /// The encoding of a name as XML declarations have it, in any case; `nil` for others.
  init?(name: String) {
    // Up to here they are ISO-8859-1, which is Unicode's beginning.
    var scalars = Array(Int32(0)...255)
    switch name.lowercased() {
    case "windows-1252", "cp1252", "cp-1252", "x-cp1252":
      // The five bytes that mean nothing stay what they are in ISO-8859-1, as browsers have it.
      scalars.replaceSubrange(
        0x80...0x9F,
        with: [
          0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
          0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
          0x0153, 0x9D, 0x017E, 0x0178,
        ])
    case "iso-8859-15", "iso8859-15", "iso_8859-15", "latin-9", "latin9":
      for (byte, scalar) in [
        (0xA4, 0x20AC), (0xA6, 0x0160), (0xA8, 0x0161), (0xB4, 0x017D), (0xB8, 0x017E), (0xBC, 0x0152), (0xBD, 0x0153),
        (0xBE, 0x0178),
      ] { scalars[byte] = Int32(scalar) }
    default: return nil
    }
    self.scalars = scalars
  }
}
