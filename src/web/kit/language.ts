export type Language = 'en' | 'zh';

const KEPT_AS = 'hongbao.language';

/** The reader's choice, or the first language of the browser that we have. */
export function preferredLanguage(): Language {
  const wanted = [kept(), ...navigator.languages];
  const found = wanted.map((tag) => tag?.slice(0, 2)).find((tag) => tag === 'zh' || tag === 'en');
  return found ?? 'en';
}

export const tagOf = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en');

export function speak(language: Language): void {
  document.documentElement.lang = tagOf(language);
  try {
    localStorage.setItem(KEPT_AS, language);
  } catch {
    // A frame may forbid storage: the choice holds for this visit.
  }
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEPT_AS) ?? undefined;
  } catch {
    return undefined;
  }
}
