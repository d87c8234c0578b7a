import { ActivityRepository, Visibility } from '../../src/core/activity';
import { Admissions, TapService } from '../../src/core/grab';
import { AudienceRule } from '../../src/extensions/audience/audience-rule';
import type { AnyAudienceBody } from '../../src/extensions/audience/audience-terms.dto';
import { AudienceRepository } from '../../src/extensions/audience/audience.repository';
import { AudienceService } from '../../src/extensions/audience/audience.service';
import { HiddenActivities } from '../../src/extensions/audience/hidden-activities';
import { type ActivityWish, requestOf } from '../harness/books';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, proveBooks, rain, shareRain } from '../harness/shared-books';

proveBooks();
shareRain();

const ID_OF_NOTHING = '999999999';
const OPEN = { hold: false, mayLimit: false };

let program: Graph;
let admissions: Admissions;

beforeAll(async () => {
  program = await rain.openApi();
  admissions = program.get(Admissions);
});

const open = (audience: ActivityWish['audience'], wish: Partial<ActivityWish> = {}) =>
  rain.openRain({ packets: 3, audience, ...wish });

const forAnn = (wish?: Partial<ActivityWish>) => open({ kind: 'people', userIds: ['ann'] }, wish);

const admit = async (id: string, userId: string, keys = {}, of = admissions) =>
  of.admitUser(id, userId, keys);

const audienceOf = (id: string) => books.serviceOf(HiddenActivities).audienceOf(id);

const viewer = (userId: string, keys = {}) => ({ caller: { userId, role: 'user' as const }, keys });

/** The lookups that a tap causes, by the ids that are looked up; each asks whether the user is a holder. */
async function lookupsOf(tap: () => Promise<unknown>): Promise<string[][]> {
  const lookups = jest.spyOn(program.get(ActivityRepository), 'admissionsOf');
  const prepared = jest.spyOn(program.get(AudienceRule), 'prepare');
  const asked = jest.spyOn(program.get(Visibility), 'holdersAmong');
  try {
    await tap().catch(() => undefined);
    expect(asked.mock.calls.map(([questions]) => questions.length)).toEqual(lookups.mock.calls.map(() => 1));
    expect(prepared.mock.calls.map(([, ids]) => ids)).toEqual(lookups.mock.calls.map(([ids]) => ids));
    return lookups.mock.calls.map(([ids]) => [...ids]);
  } finally {
    lookups.mockRestore();
    prepared.mockRestore();
    asked.mockRestore();
  }
}

describe('a tap at an activity that is not public', () => {
  it('is admitted without a lookup once the process knows the activity, as are taps at public ones', async () => {
    const [hidden, all] = [await forAnn(), await open(undefined)];
    await admissions.refresh();
    expect(await lookupsOf(() => admit(hidden, 'ann'))).toEqual([]);
    expect(await lookupsOf(() => admit(all, 'bob'))).toEqual([]);
    expect(admissions.admitUser(hidden, 'ann', {})).toEqual(OPEN);
  });

  it('by an outsider causes the one lookup that a tap at an unknown activity causes, each time', async () => {
    const known = await forAnn();
    await admissions.refresh();
    for (let i = 0; i < 3; i++)
      for (const id of [known, ID_OF_NOTHING])
        expect((await lookupsOf(() => admit(id, 'bob'))).map((ids) => ids.length)).toEqual([1]);
    const met = await forAnn();
    expect(await lookupsOf(() => admit(met, 'bob'))).toEqual([[met]]);
    for (const id of [known, met, ID_OF_NOTHING])
      await expect(admit(id, 'bob')).rejects.toMatchObject({
        code: 'activity.not_found',
        detail: `There is no activity ${id}.`,
      });
  });

  it('by a user who holds a packet is admitted whatever key they bring, and does not count as a guess at the password', async () => {
    const id = await open({ kind: 'password', password: 'lucky' }, { limits: { perUser: 1, group: 'held' } });
    await books.claim(id, ['ann']);
    for (let i = 0; i < 15; i++)
      expect(await admit(id, 'ann', { 'packet-password': 'wrong' })).toEqual({ hold: false, mayLimit: true });
    expect(await admit(id, 'ann')).toEqual({ hold: false, mayLimit: true });
    const other = await open({ kind: 'link' });
    expect(await codeOf(admit(other, 'ann'))).toBe('activity.not_found');
    const met = await rain.openApi();
    expect(await admit(id, 'ann', {}, met.get(Admissions))).toEqual({ hold: false, mayLimit: true });
  });

  it('by someone who was named and then forgotten is refused after the next refresh, by processes that had read the names too', async () => {
    const id = await open({ kind: 'people', userIds: ['ann', 'to-be-forgotten'] });
    expect(await admit(id, 'to-be-forgotten')).toEqual(OPEN);
    await books.dataSource.transaction(async (tx) => {
      await tx.query(`set local session_replication_role = replica`);
      await tx.query(
        `update activity_audience set user_ids = array_replace(user_ids, 'to-be-forgotten', 'erased-1')
          where activity_id = $1`,
        [id],
      );
    });
    await program.get(AudienceRule).refresh([]);
    expect(await codeOf(admit(id, 'to-be-forgotten'))).toBe('activity.not_found');
    expect(await admit(id, 'ann')).toEqual(OPEN);
  });

  it('does not make the process read audiences again that have not changed', async () => {
    const [people, link] = [await forAnn(), await open({ kind: 'link' })];
    await books.serviceOf(AudienceService).rotate(requestOf('operator'), link);
    for (const id of [people, link]) await admit(id, 'bob').catch(() => undefined);
    const rule = program.get(AudienceRule);
    await rule.refresh([]);
    expect(
      await program.get(AudienceRepository).changedAmong([{ activityId: people, version: 'older' }]),
    ).toHaveLength(1);
    const read = jest.spyOn(program.get(AudienceRepository), 'changedAmong');
    await rule.refresh([]);
    expect(await read.mock.results[0]!.value).toEqual([]);
    read.mockRestore();
  });

  it('of its sponsor is admitted', async () => {
    const id = await forAnn({ sponsorId: 'host' });
    expect(await admit(id, 'host')).toEqual(OPEN);
  });

  it('is limited, and held, as its other terms say', async () => {
    const id = await forAnn({ limits: { perUser: 1, group: 'audiences' } });
    expect(await admit(id, 'ann')).toEqual({ hold: false, mayLimit: true });
  });

  it('is refused like a tap at an activity of a newer program where no rule knows the audience', async () => {
    const id = await forAnn();
    const without = await rain.openApi([[AudienceRule, {}]]);
    const tap = without
      .get(TapService)
      .answerTap(id, { userId: 'ann', role: 'user' }, {}, { statusCode: 200 });
    expect(await codeOf(tap)).toBe('activity.newer');
  });
});

describe('the share code of an activity', () => {
  it('that was rotated is learned with the next refresh, even for activities that are not among the newest', async () => {
    const id = await open({ kind: 'link' }, { sponsorId: 'host' });
    const { shareCode: former } = await audienceOf(id);
    expect(await admit(id, 'ann', { 'share-code': former })).toEqual(OPEN);
    const { shareCode } = await books.serviceOf(AudienceService).rotate(requestOf('operator'), id);
    expect(await admit(id, 'ann', { 'share-code': former })).toEqual(OPEN);
    await program.get(AudienceRule).refresh([]);
    expect(await codeOf(admit(id, 'ann', { 'share-code': former }))).toBe('activity.not_found');
    expect(await admit(id, 'ann', { 'share-code': shareCode })).toEqual(OPEN);
  });

  it('that others have rotated is not shown to someone who may no longer manage it and repeats an old request', async () => {
    const id = await open({ kind: 'link' }, { sponsorId: 'host' });
    const service = books.serviceOf(AudienceService);
    await service.rotate(requestOf('moved-on', 'operator', 'their-rotation'), id);
    await service.rotate(requestOf('host', 'user'), id);
    expect(await codeOf(service.rotate(requestOf('moved-on', 'user', 'their-rotation'), id))).toBe(
      'activity.not_found',
    );
  });

  it.each(['', 'x', undefined, null, 7, ['x']])('is not %j', async (code) => {
    const id = await open({ kind: 'link' });
    expect(await codeOf(admit(id, 'ann', { 'share-code': code }))).toBe('activity.not_found');
    expect(await program.get(Visibility).sees(viewer('ann', { 'share-code': code }), id)).toBe(false);
  });

  it('opens neither an activity for people nor one with a password', async () => {
    const { shareCode } = await audienceOf(await open({ kind: 'link' }));
    const others: AnyAudienceBody[] = [
      { kind: 'people', userIds: ['ann'] },
      { kind: 'password', password: shareCode! },
    ];
    for (const audience of others) {
      const id = await open(audience);
      const keys = { 'share-code': shareCode };
      expect(await codeOf(admit(id, 'bob', keys))).toBe('activity.not_found');
      expect(await program.get(Visibility).sees(viewer('bob', keys), id)).toBe(false);
    }
  });
});

describe('who sees an activity', () => {
  it('is the same for reading, tapping and listening', async () => {
    const visibility = program.get(Visibility);
    const password = { 'packet-password': 'lucky' };
    const cases = [
      { id: await open(undefined), keys: {}, users: { ann: true, bob: true } },
      { id: await forAnn(), keys: {}, users: { ann: true, bob: false } },
      { id: await open({ kind: 'password', password: 'Lucky' }), keys: password, users: { ann: true } },
      { id: await open({ kind: 'password', password: 'Other' }), keys: password, users: { ann: false } },
      { id: await open({ kind: 'link' }), keys: {}, users: { sponsor: true, bob: false } },
      { id: ID_OF_NOTHING, keys: {}, users: { ann: false } },
    ];
    for (const { id, keys, users } of cases)
      for (const [user, sees] of Object.entries(users)) {
        const tapped = await admit(id, user, keys).then(
          () => true,
          () => false,
        );
        const [heard] = await visibility.seenBy([{ ...viewer(user, keys), activityId: id }]);
        expect([
          id,
          user,
          tapped,
          await visibility.sees(viewer(user, keys), id),
          heard !== undefined,
        ]).toEqual([...[id, user], ...Array<boolean>(3).fill(sees)]);
      }
  });

  it('is looked up for all listeners together, and no listener hears what only another may hear', async () => {
    const id = await forAnn();
    const all = await open(undefined);
    const staff = { caller: { userId: 'sue', role: 'support' as const }, keys: {} };
    const sights = [
      { ...viewer('bob'), activityId: id },
      { ...viewer('ann'), activityId: id },
      { ...viewer('bob'), activityId: all },
      { ...staff, activityId: id },
      { ...viewer('ann'), activityId: ID_OF_NOTHING },
    ];
    const seen = await program.get(Visibility).seenBy(sights);
    expect(seen.map((one) => one?.activityId)).toEqual([undefined, id, all, id, undefined]);
  });

  it('without a token may be anyone with the code of a link, but nobody whom an activity names or who has a password', async () => {
    const asStranger = (id: string, keys = {}) => codeOf(program.get(Visibility).requireOfStranger(keys, id));
    const password = { 'packet-password': 'lucky' };
    const [all, link] = [await open(undefined), await open({ kind: 'link' })];
    const { shareCode } = await audienceOf(link);
    const code = { 'share-code': shareCode };
    const people = await open({ kind: 'people', userIds: ['stranger', 'null'] });
    const closed = await open({ kind: 'password', password: 'Lucky' });
    const found = [asStranger(all), asStranger(link, code)];
    const hidden = [
      ...[asStranger(link), asStranger(closed), asStranger(closed, code)],
      ...[asStranger(people, code), asStranger(ID_OF_NOTHING, code)],
    ];
    expect(await Promise.all(found)).toEqual(Array(2).fill('done'));
    expect(await Promise.all(hidden)).toEqual(Array(5).fill('activity.not_found'));
    expect([await asStranger(all), await asStranger(link)]).toEqual(['done', 'activity.not_found']);
    for (const id of [all, link, closed, people, ID_OF_NOTHING])
      expect(await asStranger(id, { ...code, ...password })).toBe('auth.unauthenticated');
  });

  it('is looked up for at most 5,000 users without a token at once, and further ones are refused', async () => {
    const visibility = program.get(Visibility);
    const ask = () => codeOf(visibility.requireOfStranger({}, ID_OF_NOTHING));
    const answers = await Promise.all(Array.from({ length: 5_001 }, ask));
    expect([answers.indexOf('busy'), answers.lastIndexOf('busy')]).toEqual([5_000, 5_000]);
    expect(new Set(answers)).toEqual(new Set(['activity.not_found', 'busy']));
  });

  it('is nobody but its sponsor and staff in a program without audiences', async () => {
    const id = await forAnn();
    const without = await rain.openApi([[HiddenActivities, {}]]);
    const visibility = without.get(Visibility);
    expect(await visibility.sees(viewer('ann'), id)).toBe(false);
    expect(await visibility.sees(viewer('sponsor'), id)).toBe(true);
    expect(await visibility.sees({ caller: { userId: 'sue', role: 'support' }, keys: {} }, id)).toBe(true);
    expect(await codeOf(visibility.requireOfStranger({}, id))).toBe('activity.not_found');
    expect(await codeOf(visibility.requireOfStranger({}, await open(undefined)))).toBe('done');
  });
});

it('whether users may know of an activity is decided without the partitions of other activities', async () => {
  const former = await open(undefined);
  await books.dataSource.query(`select setval('activity_id_seq', 49999)`);
  const hidden = await forAnn();
  await books.claim(hidden, ['bob']);
  await admissions.refresh();
  const commit = await books.hold((tx) => tx.query('lock table claim_0 in access exclusive mode'));
  try {
    const visibility = program.get(Visibility);
    for (const id of [hidden, ID_OF_NOTHING]) {
      const isIt = id === hidden;
      expect(await visibility.sees(viewer('bob'), id)).toBe(isIt);
      const [seen] = await visibility.seenBy([{ ...viewer('bob'), activityId: id }]);
      expect(seen !== undefined).toBe(isIt);
      expect(await codeOf(admit(id, 'bob'))).toBe(isIt ? 'done' : 'activity.not_found');
    }
    const asStranger = (id: string) => codeOf(visibility.requireOfStranger({}, id));
    expect(await Promise.all([former, hidden].map(asStranger))).toEqual(['done', 'activity.not_found']);
  } finally {
    await commit();
  }
});

describe('a password that is right', () => {
  it('is not counted when something else prevents the tap, while a wrong password is', async () => {
    const id = await open({ kind: 'password', password: 'lucky' }, { admission: 'ticket' });
    const guess = (password: string) => codeOf(admit(id, 'eve', { 'packet-password': password }));
    for (let i = 0; i < 15; i++) expect(await guess('lucky')).toBe('grab.ticket_required');
    for (let i = 0; i < 10; i++) expect(await guess('wrong')).toBe('activity.not_found');
    expect(await guess('lucky')).toBe('audience.too_many_passwords');
    const read = program.get(Visibility).sees(viewer('eve', { 'packet-password': 'lucky' }), id);
    expect(await codeOf(read)).toBe('audience.too_many_passwords');
  });

  it('is not counted while Postgres does not say to which activity it belongs', async () => {
    const id = await open({ kind: 'password', password: 'lucky' });
    const tap = () => codeOf(admit(id, 'ivy', { 'packet-password': 'lucky' }));
    const commit = await books.hold((tx) => tx.query('lock table activity in access exclusive mode'));
    const answers = await Promise.all(Array.from({ length: 10 }, tap)).finally(commit);
    expect(new Set(answers)).toEqual(new Set(['unavailable']));
    expect(await tap()).toBe('done');
  });

  it('is refused like a wrong password after ten guesses while Postgres does not answer', async () => {
    const id = await open({ kind: 'password', password: 'lucky' });
    const guess = (password: string) => codeOf(admit(id, 'eva', { 'packet-password': password }));
    await admit(id, 'eva', { 'packet-password': 'lucky' });
    const lookups = jest
      .spyOn(program.get(ActivityRepository), 'admissionsOf')
      .mockRejectedValue(new Error('away'));
    for (let i = 0; i < 10; i++)
      await expect(admit(id, 'eva', { 'packet-password': 'wrong' })).rejects.toThrow();
    expect(await guess('lucky')).toBe('audience.too_many_passwords');
    lookups.mockRestore();
  });
});
