/// The sentence that an address names.
enum NMEASentenceKind: UInt8 {
  case unsupported = 0
  case gga, rmc, gll, gns, vtg, zda, gsa, gsv, gbs, gst, bwc
  case hdt, hdg, hdm, ths, accuracy
  case pashr, pgrme, pgrmf, pgrmz, pmgnst, psrfepe, pubx, psti, ptnthtm

  /// Finds the kind of an address: any talker of two letters and a formatter of three, or a vendor's whole address.
  init(address: UnsafeBufferPointer<UInt8>) {
    if address.first == UInt8(ascii: "P") {
      if let vendor = Self.vendorNames.kind(of: address[...]) {
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
    self = hasTalker ? Self.formatterNames.kind(of: address[2...]) ?? .unsupported : .unsupported
  }

  /// How many fields, including the address, gpsd requires before it reads the sentence. The higher rank wins when two
  /// kinds give the same value in one epoch; 0 does not concern the fix. In many receivers GGA has more decimals than
  /// RMC and GLL; PGRMZ has whole feet.
  private typealias Row = (name: String, kind: NMEASentenceKind, fields: Int, rank: UInt8)

  /// The formatters of all talkers, frequent ones first.
  private static let formatters: [Row] = [
    ("GSV", .gsv, 1, 0), ("GSA", .gsa, 18, 9), ("RMC", .rmc, 8, 5), ("GGA", .gga, 13, 8), ("VTG", .vtg, 5, 6),
    ("GLL", .gll, 7, 4), ("ZDA", .zda, 4, 0), ("GNS", .gns, 13, 7), ("GST", .gst, 8, 0), ("GBS", .gbs, 7, 15),
    ("HDT", .hdt, 2, 0), ("HDG", .hdg, 2, 0), ("HDM", .hdm, 2, 0), ("THS", .ths, 2, 0), ("BWC", .bwc, 12, 0),
    ("ACCURACY", .accuracy, 1, 0),
  ]

  /// The vendors' addresses, which have no talker.
  private static let vendors: [Row] = [
    ("PUBX", .pubx, 2, 12), ("PASHR", .pashr, 3, 11), ("PGRME", .pgrme, 7, 13), ("PGRMF", .pgrmf, 15, 3),
    ("PGRMZ", .pgrmz, 4, 1), ("PSTI", .psti, 2, 10), ("PSRFEPE", .psrfepe, 7, 14), ("PMGNST", .pmgnst, 8, 2),
    ("PTNTHTM", .ptnthtm, 9, 0),
  ]

  private static let formatterNames = Names(formatters)
  private static let vendorNames = Names(vendors)

  /// Names of up to eight letters, each stored as one number for a fast search.
  private struct Names {
    private let entries: [(name: UInt64, kind: NMEASentenceKind)]

    init(_ rows: [Row]) { entries = rows.map { (Self.packed($0.name.utf8), $0.kind) } }

    func kind(of name: Slice<UnsafeBufferPointer<UInt8>>) -> NMEASentenceKind? {
      guard name.count <= 8 else { return nil }
      let packed = Self.packed(name)
      for entry in entries where entry.name == packed { return entry.kind }
      return nil
    }

    private static func packed(_ name: some Sequence<UInt8>) -> UInt64 { name.reduce(0) { $0 << 8 | UInt64($1) } }
  }

  /// The rows by the kinds' raw values.
  private static let limits: [(fields: Int, rank: UInt8)] = {
    let rows = formatters + vendors
    var limits = [(fields: Int, rank: UInt8)](repeating: (1, 0), count: rows.count + 1)
    for row in rows { limits[Int(row.kind.rawValue)] = (row.fields, row.rank) }
    return limits
  }()

  var minimumFieldCount: Int { Self.limits[Int(rawValue)].fields }

  var rank: UInt8 { Self.limits[Int(rawValue)].rank }

  /// Whether the sentence may concern the fix of its epoch.
  var isOfFix: Bool { rank > 0 }

  /// Whether a vendor defined the sentence, so that its address has no talker.
  var isVendors: Bool { rawValue >= Self.pashr.rawValue }
}
