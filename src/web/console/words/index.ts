import { en, type Words } from './en';

/** The texts in the current language of the console. They are read again each time a page is drawn. */
export let words: Words = en;

/** Most people read one language, so the other one is loaded when it is wanted: see deploy/bundle-web.mjs. */
const CHINESE = '/assets/chinese.js';

/** @throws TypeError if the texts cannot be loaded */
export async function chooseWords(language: 'en' | 'zh'): Promise<void> {
  words = language === 'en' ? en : ((await import(`..${CHINESE}`)) as typeof import('./zh')).zh;
}
