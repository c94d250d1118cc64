/** A report as one page that needs nothing else: no scripts, no network, light or dark as the reader has it. Pure. */
import { escapeXml, SERIES_LOOKS } from './chart.js';
import { PROTOCOL_NAMES, type Report, remarks } from './report.js';
import { type ReportChart, reportCharts } from './report-charts.js';
import { REPORT_STYLE } from './report-style.js';
import { levelName, reportRows } from './report-table.js';
import type { LevelSummary, Trouble } from './summary.js';
import { ms } from './table.js';

export function reportPage(report: Report): string {
  const { url, levels } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Load on ${escapeXml(url)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<header>
<h1>Load on ${escapeXml(url)}</h1>
<p class="facts">${facts(report).join('')}</p>
</header>
<main>
<div class="tiles">${tiles(levels).join('')}</div>
${told(report)}
<div class="charts">${reportCharts(report)
    .map((one) => figure(one, levels))
    .join('\n')}</div>
<section class="card wide" tabindex="0" aria-label="All numbers">
${numbers(report)}
</section>
</main>
</body>
</html>
`;
}

function facts({ protocol, model, date, version, settings }: Report): string[] {
  const { prompt_tokens, max_tokens, rate_per_s } = settings;
  const list: [string, string][] = [
    ['protocol', PROTOCOL_NAMES[protocol]],
    ['model', model ?? 'the server’s'],
    ['prompt', prompt_tokens === null ? 'the same each time' : `about ${prompt_tokens} tokens`],
    ['answer', `at most ${max_tokens} tokens`],
    ...(rate_per_s === null ? [] : [['rate', `${rate_per_s} requests/s`] as [string, string]]),
    ['date', date.slice(0, 16).replace('T', ' ')],
    ['Pilotlight', version],
  ];
  return list.map(([name, value]) => `<span>${name} <b>${escapeXml(value)}</b></span>`);
}

function tiles(levels: readonly LevelSummary[]): string[] {
  const best = levels.toSorted((a, b) => b.output_tokens_per_s - a.output_tokens_per_s)[0];
  const [first] = levels;
  if (best === undefined || first === undefined) return [];
  const sum = (value: (level: LevelSummary) => number) =>
    levels.reduce((total, level) => total + value(level), 0);
  const errors = sum((level) => level.protocol_errors);
  const failed = sum((level) => level.failed);
  const time = (value: number | null) => (value === null ? '–' : ms(value));
  return [
    tile(best.output_tokens_per_s.toFixed(0), 'tokens/s', `output, ${levelName(best)}`),
    tile(time(first.ttft.p50), 'ms', `first token p50, ${levelName(first)}`),
    tile(time(first.inter_token.p50), 'ms', `inter-token p50, ${levelName(first)}`),
    tile(
      String(errors),
      errors === 1 ? 'protocol error' : 'protocol errors',
      `in ${sum((level) => level.requests)} requests; ${failed} failed`,
      errors > 0 ? 'bad' : 'good',
    ),
  ];
}

function tile(value: string, unit: string, caption: string, state = ''): string {
  return (
    `<div class="card tile ${state}"><strong>${escapeXml(value)} <small>${escapeXml(unit)}</small></strong>` +
    `<span>${escapeXml(caption)}</span></div>`
  );
}

function figure({ title, caption, svg }: ReportChart, levels: readonly LevelSummary[]): string {
  return `<figure class="card">
<h2>${escapeXml(title)}</h2>
<figcaption>${escapeXml(caption)}</figcaption>
${levels.length > 1 ? legend(levels) : ''}
${svg}
</figure>`;
}

function legend(levels: readonly LevelSummary[]): string {
  const items = levels.map(
    (level, i) =>
      `<li class="look-${i % SERIES_LOOKS}"><svg viewBox="0 0 28 10" aria-hidden="true"><path class="line" d="M0 5H28"/></svg>${escapeXml(levelName(level))}</li>`,
  );
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** What went wrong, and what the numbers do not say. */
function told(report: Report): string {
  const items = [
    ...report.levels.flatMap((level) =>
      level.troubles.map((trouble) => troubleItem(level, trouble)),
    ),
    ...remarks(report).map((remark) => `<li>${escapeXml(remark)}</li>`),
  ];
  if (items.length === 0) return '';
  return `<section class="card told"><h2>To know</h2><ul>${items.join('')}</ul></section>`;
}

function troubleItem(level: LevelSummary, { type, kind, message, requests }: Trouble): string {
  const what = `${requests} of ${level.requests} requests at ${levelName(level)}`;
  return `<li class="${type}"><b>${escapeXml(kind)}</b>, ${what}: ${escapeXml(message)}</li>`;
}

function numbers(report: Report): string {
  const head = ['', ...report.levels.map(levelName)].map((name) => `<th scope="col">${name}</th>`);
  const rows = reportRows(report).map(([label = '', ...cells]) => {
    const values = cells.map((cell) => `<td>${escapeXml(cell)}</td>`);
    return `<tr><th scope="row">${escapeXml(label)}</th>${values.join('')}</tr>`;
  });
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}
