import { en } from '../../src/web/console/words/en';
import { zh } from '../../src/web/console/words/zh';

/** The texts of the console in both languages. The page itself loads one language at a time. */
export const WORDS = { en, zh };
