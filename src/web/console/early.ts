import { kept } from '../kit/kept';
import { preferredLanguage } from '../kit/language';
import { STAFF } from '../kit/session';

/**
 * A tab that is signed in loads everything at once: on a slow network, waiting for the script of the page would
 * cost a round trip. The page reports what did not load when it asks for it itself.
 */
if (kept(STAFF, 'sessionStorage') !== undefined) {
  const wanted = [import('./desk'), ...(preferredLanguage() === 'zh' ? [import('./words/zh')] : [])];
  void Promise.allSettled(wanted);
}
