import type { Page } from 'playwright-core';
import { describeInBrowser } from './chromium';
import { grab, press, says, Stage } from './stage';
import { differencesFrom, differencesFromUnopened } from './truth/beside';
import { frameOf } from './truth/frame';
import { Frames } from './truth/frames';

const FRAMES_MIN = 500;
const LASTS_MS = 1_200_000;
const OPENS_IN_MS = 20_000;

/** Reads all pages that show rains again and again, while several rains run and end. */
describeInBrowser(
  'every page, while rains open, run, close or are cancelled, and payouts are made or refused,',
  () => {
    const stage = new Stage();
    const frames = new Frames();

    beforeAll(() => stage.set());
    afterEach(() => stage.clear());
    afterAll(() => stage.strike());

    const operator = () => stage.rain.operator();
    const win = (id: string, user: string) => stage.rain.user(user).post(`/v1/activities/${id}/grabs`);
    const watch = async (path: string): Promise<Page> =>
      frames.watch((await stage.staff(path, 'operator')).page);
    const watchActivity = async (id: string): Promise<Page> => {
      const { page } = await stage.staff(`/activities/${id}`, 'operator');
      return frames.watch(page, () => stage.rain.proof(id));
    };
    const isShown = (page: Page, text: string | RegExp) => async () =>
      (await page.getByText(text).count()) > 0;
    const isIn = (page: Page, phase: string) => async () =>
      (await page.locator('h1 .phase').innerText()) === phase;

    it(
      'contradicts neither itself nor the API',
      async () => {
        const { rain } = stage;
        const channelId = await stage.createChannel('Shop', { smallest: '0.01' });
        const waiting = async (): Promise<{ id: string; userId: string }[]> =>
          (await operator().get(`/v1/payout-channels/${channelId}/waiting?limit=100`)).body.items;
        const report = async (user: string, outcome: object) => {
          const of = (await waiting()).filter(({ userId }) => userId === user);
          const outcomes = of.map(({ id }) => ({ id, ...outcome }));
          await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
        };
        const plan = { sponsorId: 'sage', packetCount: 12, totalAmount: '60.00' };
        const later = { ...plan, opensInMs: 3_000_000 };
        const cancelled = await rain.createActivity({ ...later, name: 'Cancelled' });
        const never = await rain.createActivity({ ...later, name: 'Never opened' });
        const short = await rain.createActivity({ ...plan, name: 'Short' });
        const cancelledDesk = await watchActivity(cancelled);
        const neverDesk = await watchActivity(never);
        const shortDesk = await watchActivity(short);
        await watch('/activities?sponsor=sage');
        const wall = await watch('/wall');
        await wall.getByRole('button', { name: /checks? in order/ }).click();
        await watch('/payouts');
        await watch(`/payouts/channels/${channelId}`);
        const played = await rain.createActivity({
          ...plan,
          name: 'Played',
          split: { kind: 'equal' },
          payout: { channelId },
          opensInMs: OPENS_IN_MS,
        });
        const desk = await watchActivity(played);
        for (const tab of ['top-up', 'fairness']) await watch(`/activities/${played}/${tab}`);
        const { page: phone } = await stage.player(played, 'pia', { reducedMotion: 'reduce' });
        frames.watch(phone);
        const deskShows = (name: string, value: string) => async () =>
          (await frameOf(desk)).figures.some((figure) => figure.name === name && figure.value === value);

        await frames.until('the pre-flight', isShown(neverDesk, 'Pre-flight'));
        await frames.until('the opening', isIn(desk, 'Open'));

        await grab(phone);
        await frames.until('a winner', deskShows('Confirmed', '1 of 12'));
        await operator().post('/v1/wallets/frozen/freeze');
        for (const user of ['ann', 'ben', 'frozen', 'cid']) {
          await Promise.all([win(played, user), win(short, user)]);
          await frames.until(`the win of ${user}`, isShown(desk, user));
        }
        await rain.pauseWorker();
        for (const user of ['dan', 'eve']) await win(played, user);
        await frames.until('wins that wait', deskShows('On their way to wallets', '2'));
        rain.resumeWorker();
        await frames.until('all on their way out', deskShows('Being paid out', '6'));

        await report('ann', { outcome: 'paid' });
        await report('pia', { outcome: 'refused', code: 'user-closed' });
        await frames.until('the first payout', deskShows('Paid out', '1'));
        // A page that is loaded again reads what it may have missed.
        await phone.reload();
        await frames.until('the money again', isShown(phone, 'In your wallet'));
        await press(phone, 'Wallet ¥5.00');
        await press(phone, 'Withdraw');
        await frames.until('a withdrawal', isShown(phone, '¥5.00 is on its way.'));
        await report('pia', { outcome: 'refused', code: 'user-closed' });
        await frames.until('its refusal', isShown(phone, '¥5.00: Failed. Returned to wallet.'));

        await operator().post('/v1/wallets/sage/deposits', { amount: '15.00' });
        const added = { amount: '15.00', packetCount: 3, split: { kind: 'equal' } };
        await operator().post(`/v1/activities/${played}/top-ups`, added);
        await frames.until('more packets', deskShows('Confirmed', '7 of 15'));

        await operator().post(`/v1/activities/${cancelled}/cancel`);
        await frames.until('the cancellation', isIn(cancelledDesk, 'Cancelled'));
        await operator().post(`/v1/activities/${never}/close`);
        await frames.until('an end before the opening', isIn(neverDesk, 'Settled'));
        await operator().post(`/v1/activities/${short}/close`);
        await frames.until('an early end', isShown(shortDesk, 'closed early'));
        for (const user of ['flo', 'gus', 'hal', 'ian', 'joy', 'kit', 'liz', 'max']) await win(played, user);
        await frames.until('the last packet', isIn(desk, 'Sold out'));
        await operator().post(`/v1/activities/${played}/close`);
        await frames.until('the end', isIn(desk, 'Closed'));

        await operator().post('/v1/wallets/frozen/unfreeze');
        await operator().post('/v1/dead-letters/replay', {});
        await frames.until('the settlement', isIn(desk, 'Settled'));
        await frames.until('the last ones on their way out', async () => (await waiting()).length === 13);
        for (const { userId } of await waiting()) await report(userId, { outcome: 'paid' });
        await frames.until('the end of all payouts', deskShows('Paid out', '14'));
        await says(wall, 'Nothing is running.');
        await frames.fill(FRAMES_MIN);

        const rested: [Page, string, typeof differencesFrom][] = [
          [desk, played, differencesFrom],
          [cancelledDesk, cancelled, differencesFromUnopened],
          [neverDesk, never, differencesFromUnopened],
          [shortDesk, short, differencesFrom],
        ];
        for (const [page, id, differences] of rested)
          expect(differences(await frameOf(page), await rain.proof(id))).toEqual([]);
        expect([...frames.contradictions]).toEqual([]);
        expect(frames.count).toBeGreaterThanOrEqual(FRAMES_MIN);
      },
      LASTS_MS,
    );
  },
);
