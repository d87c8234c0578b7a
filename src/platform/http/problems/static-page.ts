import { createHash } from 'node:crypto';

export const PAGE_LANGUAGES = ['en', 'zh'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** A text for people. It is escaped where it is written. */
export type Said = Readonly<Record<PageLanguage, string>>;

interface StaticPage {
  readonly language: PageLanguage;
  readonly title: Said;
  /** HTML. */
  readonly content: string;
}

const STYLE = `:root{--page:#f8f5f0;--panel:#fff;--text:#231815;--quiet:#5d4d47;--line:#e2d8cf;--control:#94857b;--chosen:#fbe9e6;--accent:#a3111b;--main:#a3111b}
@media(prefers-color-scheme:dark){:root{--page:#181312;--panel:#241c1a;--text:#f6ece6;--quiet:#c9b8af;--line:#42352f;--control:#7d6a61;--chosen:#452a26;--accent:#ffb3a8;--main:#c7303a}}
*{box-sizing:border-box}
body{align-items:center;background:var(--page);color:var(--text);display:flex;flex-wrap:wrap;font:1rem/1.5 system-ui,'PingFang SC','Microsoft YaHei',sans-serif;margin:0 auto;max-width:44rem;padding:1rem 1.25rem 3rem}
header{align-items:center;display:flex;flex:1;gap:.625rem;order:-1}
header svg{height:1.75rem;width:1.75rem}
.tongue{opacity:0;position:absolute}
.tongue+label{background:var(--panel);border:1px solid var(--control);border-radius:.375rem 0 0 .375rem;cursor:pointer;font-size:.875rem;line-height:1;padding:.9375rem .875rem}
.tongue~.tongue+label{border-left:0;border-radius:0 .375rem .375rem 0}
.tongue:checked+label{background:var(--chosen);color:var(--accent)}
.tongue:focus-visible+label,a:focus-visible{outline:3px solid var(--accent);outline-offset:2px;z-index:1}
#en:checked~* [lang^=zh],#zh:checked~* [lang=en]:not(.as-is){display:none}
main{flex:0 0 100%;padding-top:min(12vh,6rem)}
.status{color:var(--quiet);font-size:.9375rem;font-variant-numeric:tabular-nums;margin:0}
h1{font-size:clamp(1.5rem,6vw,2rem);letter-spacing:-.02em;line-height:1.2;margin:.25rem 0 .75rem;text-wrap:balance}
p{margin:0 0 1rem;max-width:36rem}
a{color:var(--accent);text-underline-offset:.2em}
.ways{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.75rem 0 0;padding:0}
.way{border:1px solid var(--accent);border-radius:.375rem;display:inline-block;font-weight:600;padding:.625rem 1.125rem;text-decoration:none}
.way:first-child{background:var(--main);border-color:var(--main);color:#fff}
dl{border-top:1px solid var(--line);color:var(--quiet);display:grid;font-size:.875rem;gap:.375rem 1rem;grid-template-columns:auto 1fr;margin:2.5rem 0 0;padding-top:1rem}
dl>div{display:contents}
dd{margin:0;overflow-wrap:anywhere}
code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace}
.lead,.play b,.doors b{text-wrap:balance}
.play a{background:#a3111b;border-radius:.75rem;color:#fff;display:block;margin:2rem 0;padding:1.25rem 1.5rem;text-decoration:none}
.play a:hover{background:#8a0d16}
.play b{display:block;font-size:1.375rem;line-height:1.3;overflow-wrap:anywhere}
h2{color:var(--quiet);font-size:.9375rem;margin:2.25rem 0 0}
.doors{display:grid;font-size:.9375rem;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(12rem,100%),1fr));list-style:none;margin:.75rem 0 2rem;padding:0}
.doors a{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;color:var(--text);display:block;height:100%;padding:.75rem 1rem;text-decoration:none}
.doors a:hover{border-color:var(--accent)}
.doors b{color:var(--accent);display:block}
.doors a>span,footer{color:var(--quiet);font-size:.875rem}
table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid var(--line);padding:.5rem .75rem .5rem 0;text-align:left;vertical-align:top}
td:first-child{overflow-wrap:anywhere}
tr:target{background:var(--chosen)}
@media(min-width:44rem){td:first-child{white-space:nowrap}}
@media(max-width:43.99rem){tr{border-bottom:1px solid var(--line);display:grid;grid-template-columns:1fr auto;padding:.5rem 0}td,th{border:0;padding:0}td:last-child,th:last-child{grid-column:1/-1}td>code{font-size:.875rem}tr:first-child{border:0;padding:0}th{clip-path:inset(50%);height:1px;overflow:hidden;position:absolute;width:1px}}
@media(min-width:100rem) and (min-height:50rem){:root{font-size:1.25em}}`;

/** It has no script, loads nothing, and cannot be embedded. */
export const STATIC_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
} as const;

const MARK = `<svg viewBox="0 0 64 64" aria-hidden="true"><rect x="10" y="2" width="44" height="60" rx="7" fill="#b3001b"/><path d="M10 18Q32 36 54 18V9a7 7 0 0 0-7-7H17a7 7 0 0 0-7 7Z" fill="#d4142f"/><circle cx="32" cy="28" r="9" fill="#f5c542"/></svg>`;

const LANGUAGES = [
  { language: 'en', name: 'English', tag: 'en' },
  { language: 'zh', name: '中文', tag: 'zh-CN' },
] as const;

/**
 * A page that people may come across anywhere, even where nothing else works: it is one file in both languages,
 * and CSS alone shows the one that the reader chooses.
 */
export function staticPage({ language, title, content }: StaticPage): string {
  const tag = LANGUAGES.find((one) => one.language === language)!.tag;
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title[language])} · Hongbao</title>
<style>${STYLE}</style>
</head>
<body>
${LANGUAGES.map((one) => choiceOf(one, one.language === language)).join('\n')}
<header>${MARK}<strong>Hongbao</strong></header>
<main>
${content}
</main>
</body>
</html>
`;
}

/** A text in both languages, of which the style shows one. */
export const inBoth = (said: Said): string =>
  LANGUAGES.map(({ language, tag }) => `<span lang="${tag}">${escaped(said[language])}</span>`).join('');

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const choiceOf = ({ language, name, tag }: (typeof LANGUAGES)[number], isChosen: boolean): string =>
  `<input type="radio" class="tongue" name="language" id="${language}"${isChosen ? ' checked' : ''}>` +
  `<label for="${language}" lang="${tag}">${name}</label>`;
