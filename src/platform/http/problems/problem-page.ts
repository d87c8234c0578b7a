import type { Problem } from '../../../../libs/problem';
import { escaped, inBoth, type PageLanguage, type Said, staticPage } from './static-page';
import { problemType } from './problem-reply';

/** Where a problem is read, and where its reader can go from there. */
interface Whereabouts {
  readonly requestId: string;
  readonly basePath: string;
  readonly language: PageLanguage;
  /** Pages for operators lead to the console. */
  readonly isForOperators: boolean;
}

interface Sentences {
  readonly title: Said;
  readonly text: Said;
}

const NOT_A_PAGE: Sentences = {
  title: { en: 'This is not a page', zh: '这不是网页' },
  text: {
    en: 'The address is for programs, and a browser cannot open it.',
    zh: '此地址供程序调用，无法用浏览器打开。',
  },
};

const STAFF_ONLY: Sentences = {
  title: { en: 'Sign in to see this', zh: '请先登录' },
  text: {
    en: 'It is for staff. Sign in to the console, and open it from there.',
    zh: '此页面仅供工作人员使用。请先登录控制台，再从控制台打开。',
  },
};

const SENTENCES: Readonly<Record<number, Sentences>> = {
  400: {
    title: { en: 'This address cannot be read', zh: '无法识别这个地址' },
    text: { en: 'It may be mistyped or incomplete.', zh: '可能输入有误，或不完整。' },
  },
  401: {
    title: { en: 'This needs a token', zh: '需要令牌' },
    text: {
      en: 'The address is part of the API. Programs send a token with each request, and a browser does not.',
      zh: '这是接口地址。程序每次请求都会带上令牌，而浏览器不会。',
    },
  },
  403: {
    title: { en: 'You may not see this', zh: '您无权查看' },
    text: {
      en: 'Your role does not include it. Ask for access, or sign in as another person.',
      zh: '您的角色没有这项权限。请申请权限，或换用其他账号登录。',
    },
  },
  404: {
    title: { en: 'There is nothing here', zh: '找不到这个页面' },
    text: { en: 'The link may be old, or mistyped.', zh: '链接可能已失效，或输入有误。' },
  },
  429: {
    title: { en: 'Too many requests', zh: '请求过于频繁' },
    text: { en: 'Wait a moment, and try again.', zh: '请稍等片刻再试。' },
  },
  500: {
    title: { en: 'Something went wrong on our side', zh: '系统出错了' },
    text: {
      en: 'Try again. If it happens again, send us the id of the request below.',
      zh: '请重试。如果再次出现，请把下面的请求编号发给我们。',
    },
  },
  503: {
    title: { en: 'Back in a moment', zh: '服务暂时不可用' },
    text: {
      en: 'A part of the system does not answer. Nothing that was confirmed is lost. Try again shortly.',
      zh: '系统的一部分暂时没有响应，已确认的结果不会丢失。请稍后再试。',
    },
  },
};

/** The same problem as a page, for a person. */
export function problemPage(problem: Problem, whereabouts: Whereabouts): string {
  const { title, text } = sentencesFor(problem.status, whereabouts);
  const content = `<p class="status">${problem.status}</p>
<h1>${inBoth(title)}</h1>
<p>${inBoth(text)}</p>
<p class="ways">${waysOn(problem.status, whereabouts).join('')}</p>
${factsOf(problem, whereabouts)}`;
  return staticPage({ language: whereabouts.language, title, content });
}

function sentencesFor(status: number, { isForOperators }: Whereabouts): Sentences {
  if (status === 401 && isForOperators) return STAFF_ONLY;
  return SENTENCES[status] ?? NOT_A_PAGE;
}

function waysOn(status: number, { basePath, isForOperators }: Whereabouts): string[] {
  const home = wayTo(`${basePath}/`, { en: 'Go to the home page', zh: '返回首页' });
  if (status === 429 || status >= 500) return [wayTo('', { en: 'Try again', zh: '再试一次' }), home];
  const isRefused = status === 401 || status === 403;
  if (isRefused && isForOperators)
    return [wayTo(`${basePath}/console`, { en: 'Open the console', zh: '打开控制台' }), home];
  return [home];
}

const wayTo = (href: string, said: Said): string => `<a class="way" href="${href}">${inBoth(said)}</a>`;

/** For the people who look into it. The detail is that of the API. */
function factsOf({ code, detail }: Problem, { basePath, requestId }: Whereabouts): string {
  // Only its English readers are told the reason.
  const reason = `<div lang="en"><dt>Reason</dt><dd>${escaped(detail)}</dd></div>`;
  const facts: readonly (readonly [Said, string])[] = [
    [{ en: 'Code', zh: '代码' }, `<a href="${basePath}${problemType(code)}"><code>${code}</code></a>`],
    [{ en: 'Request', zh: '请求编号' }, `<code>${requestId}</code>`],
  ];
  return `<dl>${reason}${facts.map(([name, value]) => `<dt>${inBoth(name)}</dt><dd>${value}</dd>`).join('')}</dl>`;
}
