/// The FNV-1a hash of bytes. Unlike Swift's own hashes, it is the same in every run.
package func stableHash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
