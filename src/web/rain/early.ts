import { kept } from '../kit/kept';
import { tokenInFragment } from '../kit/session';
import { readSettings } from '../kit/settings';
import { questionKey } from './first-answers';
import { activityId, KEPT_AS } from './place';

/**
 * Asks what the page asks first (Player.refresh), while its own script is still on its way: on a slow
 * network the answers come one answer earlier. A page that signs in otherwise does not find them.
 */
const token = kept(KEPT_AS, 'sessionStorage') ?? tokenInFragment();
if (token !== undefined) {
  const { api } = readSettings();
  const authorization = `Bearer ${token}`;
  const id = encodeURIComponent(activityId);
  const paths = [`activities/${id}`, `me/packets?activityId=${id}`, 'me/wallet'];
  globalThis.firstAnswers = new Map(
    paths.map((path) => {
      const { href } = new URL(`${api.replace(/\/+$/, '')}/v1/${path}`);
      const answer = fetch(href, { headers: { authorization } });
      // The page says what went wrong, if it asks.
      answer.catch(() => undefined);
      return [questionKey(authorization, href), answer];
    }),
  );
}
