import { escaped } from '../../../platform/http';
import { ALERT_RULES, type AlertRule, NOT_ON_THE_WALL } from './alert-rules';

/** The sections of docs/runbook.md, for people who come from the wall. */
export const runbookPage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runbook</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem }
section:target { background: #fff3bf }
</style>
</head>
<body>
<h1>Runbook</h1>
<p>The conditions are those of this release, as Prometheus evaluates them.</p>
${ALERT_RULES.map(sectionOf).join('\n')}
</body>
</html>
`;

function sectionOf({ alert, expr, forSeconds, runbook }: AlertRule): string {
  const pending = forSeconds > 0 ? ` for ${forSeconds} seconds` : '';
  const missing = NOT_ON_THE_WALL[alert];
  return `<section id="${alert.toLowerCase()}">
<h2>${alert}</h2>
${runbook.split('\n\n').map(paragraphOf).join('\n')}
<p>Fires at <code>${escaped(expr)}</code>${pending}.${missing ? ` It is not on the wall. ${missing}` : ''}</p>
</section>`;
}

/**
 * Supports only the Markdown that the runbook uses: lists of one level, code, and links, of which those
 * within it are kept.
 */
function paragraphOf(text: string): string {
  const html = escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\((#[^)]*)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  if (!html.startsWith('- ')) return `<p>${html}</p>`;
  return `<ul>${html.replaceAll(/^- /gm, '<li>')}</ul>`;
}
