import { definedProblems, type ProblemDefinition } from '../../../../libs/problem';

/** Titles and codes are ours, so nothing needs escaping. */
export function problemsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Problems</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem }
td, th { padding: 0.3rem 1rem 0.3rem 0; text-align: left }
tr:target { background: #fff3bf }
</style>
</head>
<body>
<h1>Problems</h1>
<p>Every answer that is not a success is <code>application/problem+json</code> (RFC 9457) with one of these codes.</p>
<table>
<tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
${definedProblems().map(toRow).join('\n')}
</table>
</body>
</html>
`;
}

function toRow({ code, status, title }: ProblemDefinition): string {
  return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`;
}
