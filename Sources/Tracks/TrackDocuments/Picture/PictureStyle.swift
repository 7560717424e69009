/// Colours and type of the pictures, for light and for dark surroundings.
///
/// Each rule spells out its colours, because programs that show SVG outside a browser do not support variables.
/// Programs without media queries show the light colours.
enum PictureStyle {
  static let css = """
    .trk{font:12px system-ui,"DejaVu Sans",Arial,sans-serif}
    .trk text{fill:#1f2328}.trk .title{font-size:18px;font-weight:600}.trk .name{font-weight:600}
    .trk .soft{fill:#57606a}.trk .paper{fill:#fff}.trk .ground{fill:#f6f8fa}
    .trk .frame{fill:none;stroke:#8c959f}.trk .grid{stroke:#d0d7de;fill:none}.trk .bar{stroke:#1f2328;stroke-width:2;fill:none}
    .trk .way,.trk .under,.trk .gap{fill:none;stroke-linecap:round;stroke-linejoin:round}
    .trk .under{stroke:#1f2328;stroke-opacity:.45;stroke-width:60}.trk .way{stroke-width:38}.trk .unknown{stroke:#8c959f}.trk .unmeasured{fill:#8c959f}
    .trk .gap{stroke:#57606a;stroke-width:15;stroke-dasharray:1 50}
    .trk .cut{fill:none;stroke:#57606a;stroke-dasharray:2 4}
    .trk .stay{fill:#57606a;fill-opacity:.18}.trk .band{fill:#0969da;fill-opacity:.25}
    .trk .curve{fill:none;stroke:#0969da;stroke-width:16;stroke-linecap:round;stroke-linejoin:round}
    .trk .spot{fill:#fff;stroke:#1f2328;stroke-width:2}.trk .tag{stroke:#fff;fill:#24292f}.trk .tag.start{fill:#116329}
    .trk .tag.end{fill:#a40e26}.trk .tagged{fill:#fff;font-weight:600}
    @media (prefers-color-scheme:dark){
    .trk text{fill:#e6edf3}.trk .soft{fill:#9da7b3}.trk .paper{fill:#0d1117}.trk .ground{fill:#161b22}
    .trk .frame{stroke:#6e7681}.trk .grid{stroke:#30363d}.trk .bar{stroke:#e6edf3}
    .trk .under{stroke:#e6edf3;stroke-opacity:.5}.trk .gap{stroke:#9da7b3}
    .trk .stay{fill:#9da7b3;fill-opacity:.22}.trk .band{fill:#58a6ff;fill-opacity:.3}.trk .curve{stroke:#58a6ff}
    .trk .tag{stroke:#0d1117;fill:#e6edf3}.trk .tag.start{fill:#56d364}.trk .tag.end{fill:#ff9492}
    .trk .tagged{fill:#0d1117}
    }

    """
}
