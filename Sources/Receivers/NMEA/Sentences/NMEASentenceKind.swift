/// Which sentence an address names. The raw value is its bit in a `Set`.
enum NMEASentenceKind: UInt8 {
  case unsupported = 0
  case gga, rmc, gll, gns, vtg, zda, gsa, gsv, gbs, gst, bwc
  case hdt, hdg, hdm, ths, accuracy
  case pashr, pgrme, pgrmf, pgrmz, pmgnst, psrfepe, pubx, psti, ptnthtm

  /// Some kinds, one bit each.
  struct Set: OptionSet {
    var rawValue: UInt32
    init(rawValue: UInt32) { self.rawValue = rawValue }
    init(_ kind: NMEASentenceKind) { rawValue = 1 << UInt32(kind.rawValue) }
  }

  /// The kind that an address names: two letters of a talker and three of a formatter, any talker, or a vendor's
  /// address as a whole.
  init(address: UnsafeBufferPointer<UInt8>) {
    if address.first == UInt8(ascii: "P") {
      if let vendor = Self.vendors.kind(of: address[...]) {
        self = vendor
        return
      }
      // A Garmin echoes $PGRMC among others: that is no RMC.
      if address.starts(with: "PGRM".utf8) {
        self = .unsupported
        return
      }
    }
    // MediaTek's ACCURACY has a longer formatter than all others.
    let hasTalker = address.count == 5 || address.count == 10
    self = hasTalker ? Self.formatters.kind(of: address[2...]) ?? .unsupported : .unsupported
  }

  /// The formatters of all talkers, the frequent ones first.
  private static let formatters = Names([
    ("GSV", .gsv), ("GSA", .gsa), ("RMC", .rmc), ("GGA", .gga), ("VTG", .vtg), ("GLL", .gll), ("ZDA", .zda),
    ("GNS", .gns), ("GST", .gst), ("GBS", .gbs), ("HDT", .hdt), ("HDG", .hdg), ("HDM", .hdm), ("THS", .ths),
    ("BWC", .bwc), ("ACCURACY", .accuracy),
  ])

  /// The addresses of vendors, which have no talker.
  private static let vendors = Names([
    ("PUBX", .pubx), ("PASHR", .pashr), ("PGRME", .pgrme), ("PGRMF", .pgrmf), ("PGRMZ", .pgrmz), ("PSTI", .psti),
    ("PSRFEPE", .psrfepe), ("PMGNST", .pmgnst), ("PTNTHTM", .ptnthtm),
  ])

  /// Names of up to eight letters, each kept as one number so that finding one is quick.
  private struct Names {
    private let entries: [(name: UInt64, kind: NMEASentenceKind)]

    init(_ names: [(String, NMEASentenceKind)]) {
      entries = names.map { (Self.packed($0.utf8), $1) }
    }

    func kind(of name: Slice<UnsafeBufferPointer<UInt8>>) -> NMEASentenceKind? {
      guard name.count <= 8 else { return nil }
      let packed = Self.packed(name)
      for entry in entries where entry.name == packed { return entry.kind }
      return nil
    }

    private static func packed(_ name: some Sequence<UInt8>) -> UInt64 {
      name.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

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
  var continuesCycle: Bool { self == .gll || self == .accuracy }

  /// Whether a vendor defined the sentence, whose address has no talker then.
  var isVendors: Bool { rawValue >= Self.pashr.rawValue }
}
