import GPSD
import LocationKit
import Logging
import Output

/// The file of `--config`: TOML, with the names of the flags as keys and a `[[fence]]` for each fence.
struct ConfigurationFile {
  /// What the file says.
  private(set) var layer = SettingsLayer()
  private let path: String

  /// Reads the text of a file; `path` names it in messages.
  ///
  /// - Throws: `CommandError` (78) that names file, line, key and what was expected.
  init(parsing text: String, path: String) throws(CommandError) {
    self.path = path
    let document: TOMLDocument
    do throws(TOMLError) {
      document = try TOMLDocument(parsing: text)
    } catch {
      throw CommandError(.configuration, "\(path):\(error.line): \(error.message)")
    }
    for table in document.tables {
      switch (table.name, table.isArrayElement) {
      case ("", _):
        for entry in table.entries { try read(entry) }
      case ("fence", true):
        layer.fences.append(try fence(table))
      case ("fence", false):
        throw failure(table.line, "write [[fence]] with two brackets; there can be several")
      default:
        throw failure(table.line, "unknown table '\(table.name)'; expected [[fence]]")
      }
    }
  }

  private mutating func read(_ entry: TOMLDocument.Entry) throws(CommandError) {
    switch entry.key {
    case "gpsd": layer.gpsd = try parse(entry, "HOST:PORT[:DEVICE]", GPSDEndpoint.init(parsing:))
    case "format": layer.format = try parse(entry, "a format", StreamFormat.init(parsing:))
    case "region-log": layer.regionLog = try parse(entry, "a path") { $0 }
    case "region-socket": layer.regionSockets = try list(entry, RegionSocketAddress.init(parsing:))
    case "region-socket-mode": layer.regionSocketMode = try parse(entry, "octal digits", Bounds.mode)
    case "region-socket-group": layer.regionSocketGroup = try parse(entry, "a group") { $0 }
    case "reader-limit": layer.readerLimit = try number(entry, Bounds.readerLimit)
    case "metrics": layer.metrics = try parse(entry, "HOST:PORT", MetricsAddress.init(parsing:))
    case "span": layer.span = try number(entry, Bounds.span)
    case "distance-filter": layer.distanceFilter = try number(entry, Bounds.distanceFilter)
    case "accuracy": layer.accuracy = try number(entry, Bounds.accuracy)
    case "stale-after": layer.staleAfter = try number(entry, Bounds.staleAfter)
    case "log-level": layer.logLevel = try parse(entry, "a level", Bounds.logLevel)
    default:
      throw failure(entry.line, "unknown key '\(entry.key)'; the keys are the names of the flags, without '--'")
    }
  }

  private func fence(_ table: TOMLDocument.Table) throws(CommandError) -> Fence {
    func entry(_ key: String) throws(CommandError) -> TOMLDocument.Entry {
      guard let entry = table.entries.first(where: { $0.key == key }) else {
        throw failure(table.line, "[[fence]] has no '\(key)'; expected id, latitude, longitude and radius")
      }
      return entry
    }
    if let stray = table.entries.first(where: { !["id", "latitude", "longitude", "radius"].contains($0.key) }) {
      throw failure(stray.line, "unknown key '\(stray.key)' in [[fence]]; expected id, latitude, longitude and radius")
    }
    let identifier = try parse(entry("id"), "a name") { $0 }
    let latitude = try number(entry("latitude"), Bounds.finite)
    let longitude = try number(entry("longitude"), Bounds.finite)
    let radius = try number(entry("radius"), Bounds.finite)
    do throws(SettingError) {
      let center = LocationCoordinate2D(latitude: latitude, longitude: longitude)
      return try Fence(identifier: identifier, center: center, radius: radius)
    } catch {
      throw failure(table.line, error.description)
    }
  }

  private func parse<Value>(
    _ entry: TOMLDocument.Entry, _ expected: String, _ make: (String) throws -> Value
  ) throws(CommandError) -> Value {
    guard case .string(let text) = entry.value else {
      throw failure(entry.line, "'\(entry.key)': expected \(expected) in quotes, found \(entry.value.typeName)")
    }
    do {
      return try make(text)
    } catch {
      throw failure(entry.line, "'\(entry.key)': \(error)")
    }
  }

  private func list<Value>(
    _ entry: TOMLDocument.Entry, _ make: (String) throws -> Value
  ) throws(CommandError) -> [Value] {
    guard case .array(let values) = entry.value else { return [try parse(entry, "a text or an array", make)] }
    var result: [Value] = []
    for value in values {
      result.append(try parse(TOMLDocument.Entry(key: entry.key, value: value, line: entry.line), "a text", make))
    }
    return result
  }

  private func number<Value>(
    _ entry: TOMLDocument.Entry, _ make: (String) throws -> Value
  ) throws(CommandError) -> Value {
    let text: String
    switch entry.value {
    case .integer(let value): text = String(value)
    case .float(let value): text = String(value)
    default: throw failure(entry.line, "'\(entry.key)': expected a number, found \(entry.value.typeName)")
    }
    do {
      return try make(text)
    } catch {
      throw failure(entry.line, "'\(entry.key)': \(error)")
    }
  }

  private func failure(_ line: Int, _ message: String) -> CommandError {
    CommandError(.configuration, "\(path):\(line): \(message)")
  }
}
