/// One page with the figures, the picture and a table of trips and stops. It has no script and loads nothing. It
/// contains a picture for wide and one for narrow windows, so that their texts stay readable on a phone.
struct HTMLPage {
  var report: TrackReport
  var picture: TrackPicture

  var text: String {
    let figures = SummaryTable(report: report, timeZone: picture.timeZone, units: picture.units)
    let name = SVGText.escaped(report.name)
    var page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(name)</title>
      <style>
      \(Self.css)\(PictureStyle.css)</style>
      </head>
      <body>
      <h1>\(name)</h1>
      <dl>

      """
    for line in figures.lines {
      page += "<div><dt>\(line.name)</dt><dd>\(SVGText.escaped(line.value))</dd></div>\n"
    }
    page += "</dl>\n<div class=\"wide\">\n\(picture.svg(report, width: 960, isAlone: false))</div>\n"
    page += "<div class=\"narrow\">\n\(picture.svg(report, width: 380, isAlone: false))</div>\n"
    let rows = figures.rows
    if !rows.isEmpty { page += Self.table(rows) }
    return page + "</body>\n</html>\n"
  }

  private static func table(_ rows: [SummaryTable.Row]) -> String {
    let columns = SummaryTable.columns(of: rows)
    var table = "<h2>Trips and stops</h2>\n<table>\n<thead><tr><th></th>"
    table += columns.map { "<th>\($0)</th>" }.joined() + "</tr></thead>\n<tbody>\n"
    for row in rows {
      table += "<tr\(row.isStop ? " class=\"stop\"" : "")><th>\(row.name)</th>"
      for column in columns {
        let value = row[column]
        table += value.isEmpty ? "<td></td>" : "<td data-name=\"\(column)\">\(SVGText.escaped(value))</td>"
      }
      table += "</tr>\n"
    }
    return table + "</tbody>\n</table>\n"
  }

  private static let css = """
    :root{color-scheme:light dark}
    body{font:15px/1.45 system-ui,"DejaVu Sans",Arial,sans-serif;max-width:960px;margin:0 auto;padding:20px 16px;
    background:#fff;color:#1f2328}
    h1{font-size:24px;line-height:1.2;margin:0 0 14px;overflow-wrap:anywhere}h2{font-size:18px;margin:22px 0 8px}
    dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:10px 20px;margin:0 0 18px}
    dt{color:#57606a;font-size:13px}dd{margin:0}
    svg{display:block;max-width:100%;height:auto;margin:0 auto}.narrow{display:none}
    table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
    th,td{padding:6px 8px;text-align:right;border-bottom:1px solid #d0d7de;white-space:nowrap}
    th:first-child{text-align:left}thead th{color:#57606a;font-weight:400}.stop{background:#f6f8fa}
    @media (max-width:700px){.wide{display:none}.narrow{display:block}
    dl{grid-template-columns:1fr 1fr}dl div:first-child{grid-column:1/-1}
    thead{display:none}tr{display:block;padding:6px 0;border-bottom:1px solid #d0d7de}
    th,td{display:flex;justify-content:space-between;border:0;padding:2px 8px}td:empty{display:none}
    td::before{content:attr(data-name);color:#57606a}}
    @media (max-width:420px){body{padding:14px 4px}h1,h2,dl{padding:0 8px}}
    @media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}dt,thead th,td::before{color:#9da7b3}
    th,td,tr{border-color:#30363d}.stop{background:#161b22}}

    """
}
