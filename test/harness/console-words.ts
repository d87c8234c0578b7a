import { en } from '../../src/web/console/words/en';
import { zh } from '../../src/web/console/words/zh';

/** The texts of the console in both languages, which the page loads one by one. */
export const WORDS = { en, zh };
