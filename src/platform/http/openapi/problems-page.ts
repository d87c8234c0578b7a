import { definedProblems, type ProblemDefinition } from '../../../../libs/problem';
import { inBoth, type Said, staticPage } from '../problems/static-page';

const TITLE: Said = { en: 'Problem codes', zh: '错误代码' };

const ABOUT: Said = {
  en: 'Every answer that is not a success is application/problem+json (RFC 9457) with one of these codes.',
  zh: '所有未成功的答复都是 application/problem+json（RFC 9457），并带有以下代码之一。',
};

/** Titles and codes are ours, so nothing needs escaping. */
export function problemsPage(): string {
  const content = `<h1>${inBoth(TITLE)}</h1>
<p>${inBoth(ABOUT)}</p>
<table lang="en" class="as-is">
<tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
${definedProblems().map(toRow).join('\n')}
</table>`;
  return staticPage({ language: 'en', title: TITLE, content });
}

function toRow({ code, status, title }: ProblemDefinition): string {
  return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`;
}
