import { keep, kept } from './kept';

export type Language = 'en' | 'zh';

const KEPT_AS = 'hongbao.language';

/** The reader's choice, or the first language of the browser that we have. */
export function preferredLanguage(): Language {
  const wanted = [kept(KEPT_AS), ...navigator.languages];
  const found = wanted.map((tag) => tag?.slice(0, 2)).find((tag) => tag === 'zh' || tag === 'en');
  return found ?? 'en';
}

export const tagOf = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en');

export function speak(language: Language): void {
  document.documentElement.lang = tagOf(language);
  keep(KEPT_AS, language);
}
