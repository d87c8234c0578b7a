import { en } from '../../src/web/console/words/en';
import { SIGN_IN_WORDS } from '../../src/web/console/words/sign-in';
import { zh } from '../../src/web/console/words/zh';

/** The texts of the console in both languages, which the page loads piece by piece. */
export const WORDS = { en: { ...en, signIn: SIGN_IN_WORDS.en }, zh: { ...zh, signIn: SIGN_IN_WORDS.zh } };
