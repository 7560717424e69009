import Glibc

/// A small random number generator with a seed, for noise that is the same in every run.
package struct SplitMix: RandomNumberGenerator {
  package var state: UInt64
  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of the normal distribution with a mean of 0 and a standard deviation of 1.
  package mutating func normal() -> Double {
    let first = Double.random(in: Double.leastNonzeroMagnitude...1, using: &self)
    return (-2 * log(first)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
