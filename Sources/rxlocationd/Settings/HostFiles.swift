/// Files of a setting, each for one host, as in `example.org=/etc/car.password`, or for every host without its own
/// file.
struct HostFiles {
  /// The files for hosts without their own file.
  private(set) var general: [String] = []
  private var ofHosts: [String: [String]] = [:]

  /// Parses the values of a flag; `hosts` are the valid host names.
  init(_ values: [String], hosts: [String]) {
    for value in values {
      let host = String(value.prefix { $0 != "=" })
      if host.count < value.count, hosts.contains(host) {
        ofHosts[host, default: []].append(String(value.dropFirst(host.count + 1)))
      } else {
        general.append(value)
      }
    }
  }

  /// Refuses two files for one host.
  func check(_ flag: String) throws(SettingError) {
    for (host, files) in ofHosts where files.count > 1 {
      throw SettingError("\(flag) is given twice for \(host)")
    }
    if general.count > 1 { throw SettingError("\(flag) is given twice; say for which host each is, as in HOST=PATH") }
    if all.contains("") { throw SettingError("\(flag): the name of the file is empty") }
  }

  var all: [String] { general + ofHosts.values.joined() }

  subscript(host: String) -> String? { ofHosts[host]?.last ?? general.last }
}
