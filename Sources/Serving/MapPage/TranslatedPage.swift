import Platform
import Records
import Serving

/// The route of a page in each language of words.json: a browser gets the language that it prefers, or else the first one.
///
/// - Parameter html: The page, with `{{key}}` for a word, `{{words}}` for all of them, and `{{language}}`.
func translatedPage(_ html: [UInt8]) -> HTTPRoute {
  let pieces = String(decoding: html, as: UTF8.self).split(separator: "{{", omittingEmptySubsequences: false)
  var languages: [String] = []
  var pages: [String: HTTPAsset] = [:]
  try? JSONReader.forEachMember(of: MapAssets.bytes(of: "words.json")) { key, value in
    guard let language = JSONReader.text(key), case .nested(let json) = value else { return }
    var words = ["language": language, "words": String(decoding: json, as: UTF8.self)]
    var reader = JSONReader(json)
    try? reader.forEachMember { key, value in
      // The script has the groups of words. No word contains a character that HTML reserves.
      if let key = JSONReader.text(key), case .string(let text) = value { words[key] = JSONReader.text(text) }
    }
    let page = pieces.dropFirst().reduce(into: String(pieces[0])) { page, piece in
      let parts = piece.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
      page += (words[String(parts[0])] ?? "") + parts[1]
    }
    let bytes = Array(page.utf8)
    pages[language] = HTTPAsset(contentType: "text/html; charset=utf-8", bytes: bytes, gzipped: try? gzip(bytes))
    languages.append(language)
  }
  return .answer { [pages, languages] request in
    pages[request.language(of: languages)]?.response(to: request) ?? HTTPResponse(status: 500, text: "no words\n")
  }.adding([("Vary", "Accept-Language"), ("Cache-Control", "private")])
}
