import { kept } from '../kit/kept';
import { tokenInFragment } from '../kit/session';
import { readSettings } from '../kit/settings';
import { questionKey } from './first-answers';
import { activityId, isPreview, KEPT_AS, mayBeRain } from './place';

/**
 * Sends the page's first requests (Player.refresh) while its own script is still loading: on a slow network
 * this saves a round trip. A page that signs in differently does not find the answers.
 */
const token = kept(KEPT_AS, 'sessionStorage') ?? tokenInFragment();
if (token !== undefined && mayBeRain && !isPreview) {
  const { api } = readSettings();
  const authorization = `Bearer ${token}`;
  const id = encodeURIComponent(activityId);
  const paths = [`activities/${id}`, `me/packets?activityId=${id}`, 'me/wallet'];
  globalThis.firstAnswers = new Map(
    paths.map((path) => {
      const { href } = new URL(`${api.replace(/\/+$/, '')}/v1/${path}`);
      const answer = fetch(href, { headers: { authorization } });
      // The page reports what went wrong when it asks itself.
      answer.catch(() => undefined);
      return [questionKey(authorization, href), answer];
    }),
  );
}
