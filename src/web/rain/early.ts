import { kept } from '../kit/kept';
import { foundInFragment, PLAYER } from '../kit/session';
import { readSettings } from '../kit/settings';
import { questionKey } from './first-answers';
import { activityId, isPreview, mayBeRain } from './place';

/**
 * Sends the page's first requests (Player.refresh) while its own script is still loading: on a slow network
 * this saves a round trip. A page that signs in differently does not find the answers.
 */
const found = foundInFragment();
const noted = (name: string) => kept(`${PLAYER}.${name}${location.pathname}`, 'sessionStorage');
const token = kept(PLAYER, 'sessionStorage') ?? found?.token;
const shareCode = found?.shareCode ?? noted('code');
const password = noted('password');
if (token !== undefined && mayBeRain && !isPreview) {
  const { api } = readSettings();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(shareCode !== undefined && { 'share-code': shareCode }),
    ...(password !== undefined && { 'packet-password': encodeURIComponent(password) }),
  };
  const id = encodeURIComponent(activityId);
  const paths = [`activities/${id}`, `me/packets?activityId=${id}`, 'me/wallet'];
  globalThis.firstAnswers = new Map(
    paths.map((path) => {
      const { href } = new URL(`${api.replace(/\/+$/, '')}/v1/${path}`);
      const answer = fetch(href, { headers });
      // The page reports what went wrong when it asks itself.
      answer.catch(() => undefined);
      return [questionKey(headers.authorization, href), answer];
    }),
  );
}
