/// The sentence that an address names.
enum NMEASentenceKind: UInt8 {
  case unsupported = 0
  case gga, rmc, gll, gns, vtg, zda, gsa, gsv, gbs, gst, bwc
  case hdt, hdg, hdm, ths, accuracy
  case pashr, pgrme, pgrmf, pgrmz, pmgnst, psrfepe, pubx, psti, ptnthtm

  /// Finds the kind of an address: any talker of two letters and a formatter of three, or a vendor's whole address.
  init(address: UnsafeBufferPointer<UInt8>) {
    if address.first == UInt8(ascii: "P") {
      if let vendor = Self.vendors.kind(of: address[...]) {
        self = vendor
        return
      }
      // Garmin receivers echo $PGRMC among others, which is not an RMC.
      if address.starts(with: "PGRM".utf8) {
        self = .unsupported
        return
      }
    }
    // MediaTek's ACCURACY has a longer formatter than all others.
    let hasTalker = address.count == 5 || address.count == 10
    self = hasTalker ? Self.formatters.kind(of: address[2...]) ?? .unsupported : .unsupported
  }

  /// The formatters of all talkers, frequent ones first.
  private static let formatters = Names([
    ("GSV", .gsv), ("GSA", .gsa), ("RMC", .rmc), ("GGA", .gga), ("VTG", .vtg), ("GLL", .gll), ("ZDA", .zda),
    ("GNS", .gns), ("GST", .gst), ("GBS", .gbs), ("HDT", .hdt), ("HDG", .hdg), ("HDM", .hdm), ("THS", .ths),
    ("BWC", .bwc), ("ACCURACY", .accuracy),
  ])

  /// The vendors' addresses, which have no talker.
  private static let vendors = Names([
    ("PUBX", .pubx), ("PASHR", .pashr), ("PGRME", .pgrme), ("PGRMF", .pgrmf), ("PGRMZ", .pgrmz), ("PSTI", .psti),
    ("PSRFEPE", .psrfepe), ("PMGNST", .pmgnst), ("PTNTHTM", .ptnthtm),
  ])

  /// Names of up to eight letters, each stored as one number for a fast search.
  private struct Names {
    private let entries: [(name: UInt64, kind: NMEASentenceKind)]

    init(_ names: [(String, NMEASentenceKind)]) { entries = names.map { (Self.packed($0.utf8), $1) } }

    func kind(of name: Slice<UnsafeBufferPointer<UInt8>>) -> NMEASentenceKind? {
      guard name.count <= 8 else { return nil }
      let packed = Self.packed(name)
      for entry in entries where entry.name == packed { return entry.kind }
      return nil
    }

    private static func packed(_ name: some Sequence<UInt8>) -> UInt64 { name.reduce(0) { $0 << 8 | UInt64($1) } }
  }

  /// How many fields, including the address, gpsd requires before it reads the sentence.
  var minimumFieldCount: Int {
    switch self {
    case .gga, .gns: 13
    case .rmc, .gst, .pmgnst: 8
    case .gll, .gbs, .pgrme, .psrfepe: 7
    case .vtg: 5
    case .zda, .pgrmz: 4
    case .gsa: 18
    case .bwc: 12
    case .pgrmf: 15
    case .pashr: 3
    case .ptnthtm: 9
    case .hdt, .hdm, .hdg, .ths, .psti, .pubx: 2
    case .gsv, .accuracy, .unsupported: 1
    }
  }

  /// Whether the sentence may concern the fix of its epoch.
  var isOfFix: Bool { rank > 0 }

  /// The higher rank wins when two kinds give the same value in one epoch. In many receivers GGA has more decimals than
  /// RMC and GLL; PGRMZ has whole feet.
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

  /// Whether a vendor defined the sentence, so that its address has no talker.
  var isVendors: Bool { rawValue >= Self.pashr.rawValue }
}
