/// Which sentence an address names; the raw value is its bit in the set of cycle enders.
enum NMEASentenceKind: UInt8 {
  case unsupported = 0
  case gga, rmc, gll, gns, vtg, zda, gsa, gsv, gbs, gst, bwc
  case hdt, hdg, hdm, ths, accuracy
  case pashr, pgrme, pgrmf, pgrmz, pmgnst, psrfepe, pubx, psti, ptnthtm

  /// How many fields, the address included, gpsd asks of the sentence before it reads it.
  var minimumFieldCount: Int {
    switch self {
    case .gga, .gns: 13
    case .rmc: 8
    case .gll, .gbs, .pgrme, .psrfepe: 7
    case .vtg: 5
    case .zda, .pgrmz: 4
    case .gsa: 18
    case .gst: 8
    case .bwc: 12
    case .pgrmf: 15
    case .pmgnst: 8
    case .pashr: 3
    case .ptnthtm: 9
    case .hdt, .hdm, .hdg, .ths, .psti, .pubx: 2
    case .gsv, .accuracy, .unsupported: 1
    }
  }

  /// Whether the sentence belongs to the cycle before it even without a time: gpsd's continuation sentences.
  var continuesCycle: Bool {
    self == .gll || self == .accuracy
  }

  /// The kind that an address names: two letters of a talker and three of a formatter, any talker, or a
  /// proprietary address as a whole.
  @inline(__always)
  static func of(_ address: UnsafePointer<UInt8>, length: Int) -> NMEASentenceKind {
    guard length == 5 else { return proprietary(UnsafeBufferPointer(start: address, count: length)) }
    let formatter =
      UInt32(address[2]) << 16 | UInt32(address[3]) << 8 | UInt32(address[4])
    if address[0] == UInt8(ascii: "P") {
      let named = proprietary(UnsafeBufferPointer(start: address, count: length))
      if named != .unsupported { return named }
      // A Garmin echoes $PGRMC among others: that is no RMC.
      if address[1] == UInt8(ascii: "G"), address[2] == UInt8(ascii: "R"), address[3] == UInt8(ascii: "M") {
        return .unsupported
      }
    }
    switch formatter {
    case 0x47_4741: return .gga
    case 0x52_4D43: return .rmc
    case 0x47_5356: return .gsv
    case 0x47_5341: return .gsa
    case 0x56_5447: return .vtg
    case 0x47_4C4C: return .gll
    case 0x5A_4441: return .zda
    case 0x47_4E53: return .gns
    case 0x47_5354: return .gst
    case 0x47_4253: return .gbs
    case 0x48_4454: return .hdt
    case 0x48_4447: return .hdg
    case 0x48_444D: return .hdm
    case 0x54_4853: return .ths
    case 0x42_5743: return .bwc
    default: return .unsupported
    }
  }

  /// Whether an address that begins with P is a vendor's and not of a talker such as PQ.
  static func isProprietary(_ address: String) -> Bool {
    let bytes = Array(address.utf8)
    guard bytes.count == 5 else { return true }
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress, of(base, length: 5).isStandard else { return true }
      return false
    }
  }

  private var isStandard: Bool { self != .unsupported && rawValue < NMEASentenceKind.accuracy.rawValue }

  private static func proprietary(_ address: UnsafeBufferPointer<UInt8>) -> NMEASentenceKind {
    func matches(_ text: StaticString) -> Bool {
      address.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    guard address.first == UInt8(ascii: "P") else {
      // MediaTek's, with a talker.
      return address.count == 10 && address[2..<10].elementsEqual("ACCURACY".utf8) ? .accuracy : .unsupported
    }
    if matches("PUBX") { return .pubx }
    if matches("PASHR") { return .pashr }
    if matches("PGRME") { return .pgrme }
    if matches("PGRMZ") { return .pgrmz }
    if matches("PGRMF") { return .pgrmf }
    if matches("PSTI") { return .psti }
    if matches("PSRFEPE") { return .psrfepe }
    if matches("PMGNST") { return .pmgnst }
    if matches("PTNTHTM") { return .ptnthtm }
    return .unsupported
  }
}
