/** The style sheet of the page; colours and sizes are those of Pilotlight's window. */
export const REPORT_STYLE = `
:root {
  color-scheme: light dark;
  --page: #fcfcfd; --raised: #ffffff; --line: #e4e7ed; --line-strong: #cbd1db;
  --ink: #161a22; --ink-soft: #474f5d; --ink-faint: #626b7a;
  --good: #16803c; --good-wash: #eff9f2; --bad: #c02a2a; --bad-wash: #fdf3f3;
  --look-0: #2563e6; --look-1: #b45309; --look-2: #16803c; --look-3: #a1238f; --look-4: #0a6b79; --look-5: #c02a2a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1015; --raised: #171a21; --line: #272c36; --line-strong: #3a414e;
    --ink: #eceef3; --ink-soft: #b4bac6; --ink-faint: #949ca9;
    --good: #4cc877; --good-wash: #12211a; --bad: #ff8f8f; --bad-wash: #221618;
    --look-0: #82b1ff; --look-1: #f3b274; --look-2: #4cc877; --look-3: #e39bf5; --look-4: #77d3df; --look-5: #ff8f8f;
  }
}
*, *::before, *::after { box-sizing: border-box; margin: 0; }
body {
  max-width: 72rem; margin-inline: auto; padding: clamp(1rem, 4vw, 3rem);
  background: var(--page); color: var(--ink);
  font: 400 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased;
}
header { display: grid; gap: 0.5rem; margin-bottom: 2rem; }
h1 { font-size: 1.75rem; line-height: 1.3; letter-spacing: -0.015em; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 1rem; line-height: 1.3; font-weight: 600; }
.facts { display: flex; flex-wrap: wrap; gap: 0.125rem 1.25rem; color: var(--ink-faint); font-size: 0.875rem; }
.facts b { color: var(--ink-soft); font-weight: 500; overflow-wrap: anywhere; }
.card { border: 1px solid var(--line); border-radius: 1rem; background: var(--raised); padding: 1.25rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); gap: 1rem; margin-bottom: 1rem; }
.tile { display: grid; gap: 0.125rem; align-content: start; }
.tile strong { font-size: 1.75rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.02em; }
.tile strong small { font-size: 0.9375rem; font-weight: 500; letter-spacing: 0; color: var(--ink-soft); }
.tile span { color: var(--ink-faint); font-size: 0.8125rem; }
.tile.good strong { color: var(--good); }
.tile.bad { border-color: var(--bad); background: var(--bad-wash); }
.tile.bad strong { color: var(--bad); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin-block: 1rem; }
figure { display: grid; gap: 0.25rem; align-content: start; min-width: 0; }
figcaption { color: var(--ink-faint); font-size: 0.8125rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin-bottom: 0.5rem; padding: 0; list-style: none; color: var(--ink-soft); font-size: 0.8125rem; }
.legend li { display: inline-flex; align-items: center; gap: 0.5rem; }
.legend svg { width: 1.75rem; height: 0.625rem; flex: none; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink-faint); font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
svg .grid { stroke: var(--line); }
svg .axis { stroke: var(--line-strong); }
svg .line { fill: none; stroke: var(--look); stroke-width: 2; stroke-linejoin: round; stroke-dasharray: var(--dashes, none); }
svg .mark { fill: var(--look); fill-opacity: 0.85; stroke: var(--raised); stroke-width: 1; }
.look-0 { --look: var(--look-0); }
.look-1 { --look: var(--look-1); --dashes: 7 3; }
.look-2 { --look: var(--look-2); --dashes: 2 3; }
.look-3 { --look: var(--look-3); --dashes: 10 3 2 3; }
.look-4 { --look: var(--look-4); --dashes: 4 2; }
.look-5 { --look: var(--look-5); --dashes: 12 4; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4375rem 0.75rem; border-bottom: 1px solid var(--line); text-align: end; white-space: nowrap; }
tr:last-child > * { border-bottom: 0; }
th:first-child { text-align: start; padding-inline-start: 0; font-weight: 400; color: var(--ink-soft); }
td:last-child, thead th:last-child { padding-inline-end: 0; }
thead th { color: var(--ink-soft); font-weight: 600; border-color: var(--line-strong); }
.told { display: grid; gap: 0.75rem; margin-block: 1rem; }
.told ul { display: grid; gap: 0.5rem; padding: 0; list-style: none; }
.told li { overflow-wrap: anywhere; color: var(--ink-soft); }
.told li b { color: var(--ink); font-weight: 600; }
.told li.protocol_error b, .told li.failed b { color: var(--bad); }
@media (max-width: 40rem) {
  h1 { font-size: 1.375rem; }
  .card { padding: 1rem; }
  .tile strong { font-size: 1.375rem; }
  .tile strong small { font-size: 0.8125rem; }
  table { font-size: 0.8125rem; }
  th, td { padding-inline: 0.375rem; }
  th { white-space: normal; }
  svg text { font-size: 17px; }
}
@media print { body { padding: 0; } .card { break-inside: avoid; } }
`;
