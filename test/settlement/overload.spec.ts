import type { Problem } from '../../libs/problem';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { AppConfig } from '../../src/platform/config';
import { type Books, openBooks } from '../harness/books';
import { Dispensing } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import { WholeRain } from '../harness/whole-rain';

/** A crowd too large for two commits. */
const CROWD = Array.from({ length: 1_200 }, (_, i) => `u${i}`);

let books: Books;
let rain: WholeRain;

beforeAll(async () => {
  const opened = await openBooks({ CONFIRM_WAIT_MAX_MS: '1', CONFIRM_TIMEOUT_MS: '60000' });
  ({ books } = opened);
  rain = await WholeRain.of(books, await Dispensing.start(), opened.close);
});

afterAll(() => rain.stop());

/** Makes each commit of winners take 0.3 s longer. */
async function slowDown(): Promise<void> {
  await books.dataSource.query(
    `create function dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end'`,
  );
  await books.dataSource.query('create trigger dawdle after insert on claim execute function dawdle()');
}

it('A user who would wait too long for Postgres is asked to retry before they draw, and never after they have drawn', async () => {
  const api = await rain.openApi();
  const grabs = api.get(GrabService);
  const activityId = await rain.openRain({ packets: CROWD.length + 3 });
  const grab = (userId: string) => grabs.grab(activityId, userId);
  const held = async () => (await rain.dispensing.standingOf(activityId)).held;

  await slowDown();
  await grab('first');
  const crowd = CROWD.map(grab);
  await waitFor(async () => (await held()) === 1 + CROWD.length, { what: 'the crowd to have drawn' });

  await expect(grab('late')).rejects.toMatchObject({ code: 'grab.backlog_full', retryAfterSeconds: 1 });
  expect(await held()).toBe(1 + CROWD.length);

  // The wait becomes shorter with each commit, so its limits are set at this very moment.
  const waitMs = api.get(ConfirmService).expectedWaitMs;
  const grabAtLimit = (limitMs: number, userId: string) => {
    Object.assign(api.get(AppConfig), { CONFIRM_WAIT_MAX_MS: limitMs });
    return grab(userId).catch(({ code }: Problem) => code);
  };
  const [refused, admitted] = [grabAtLimit(waitMs / 2, 'later'), grabAtLimit(waitMs * 2, 'admitted')];
  expect([waitMs > 0, await refused]).toEqual([true, 'grab.backlog_full']);
  expect((await Promise.all(crowd)).filter(({ kind }) => kind !== 'won')).toEqual([]);
  expect([await admitted, await grab('late')]).toMatchObject([{ kind: 'won' }, { kind: 'won' }]);
});
