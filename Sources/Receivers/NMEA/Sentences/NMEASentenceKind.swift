/// Which sentence an address names.
enum NMEASentenceKind: UInt8 {
  case unsupported = 0
  case gga, rmc, gll, gns, vtg, zda, gsa, gsv, gbs, gst, bwc
  case hdt, hdg, hdm, ths, accuracy
  case pashr, pgrme, pgrmf, pgrmz, pmgnst, psrfepe, pubx, psti, ptnthtm

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

  /// Whether the sentence may say something of the fix that its epoch makes.
  var isOfFix: Bool { rank > 0 }

  /// Which kind counts where two of them give the same value in one epoch: the higher rank. GGA has more decimals than RMC
  /// and GLL in many receivers, PGRMZ has whole feet.
  var rank: UInt8 {
    switch self {
    case .pgrmz: 1
    case .pmgnst: 2
    case .pgrmf: 3
    case .gll: 4
    case .rmc: 5
    case .vtg: 6
    case .gns: 7
    case .gga: 8
    case .gsa: 9
    case .psti: 10
    case .pashr: 11
    case .pubx: 12
    case .pgrme: 13
    case .psrfepe: 14
    case .gbs: 15
    case .unsupported, .zda, .gsv, .gst, .bwc, .hdt, .hdg, .hdm, .ths, .accuracy, .ptnthtm: 0
    }
  }

  /// Whether a vendor defined the sentence, whose address has no talker then.
  var isVendors: Bool { rawValue >= Self.pashr.rawValue }
}
