/// A number with its noun, such as "1 record" or "2 records". Without `several`, other numbers than 1 get `one` with an s.
package func counted(_ number: Int, _ one: String, _ several: String? = nil) -> String {
  "\(number) \(number == 1 ? one : several ?? one + "s")"
}

/// A number below 100 with two digits, such as "07".
package func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// The FNV-1a hash of bytes. Unlike Swift's own hashes, it is the same in every run.
///
/// It is not generic: a generic function of another module is not specialized, and takes 40 times as long.
package func stableHash(_ bytes: [UInt8]) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
