import { readFileSync } from 'node:fs';
import { RRuleTemporal } from 'rrule-temporal';
import { SeriesRepository } from '../../src/extensions/series/series.repository';
import { SeriesService } from '../../src/extensions/series/series.service';
import { SeriesSweep } from '../../src/extensions/series/series-sweep';
import type { SeriesBody } from '../../src/extensions/series/series.dto';
import { CreateService } from '../../src/core/lifecycle/create/create.service';
import type { CreateActivityBody } from '../../src/core/lifecycle';
import { ErasureService } from '../../src/extensions/erasure/erasure.service';
import { WorkerPresence } from '../../src/core/dispenser';
import { requestOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, proveBooks, shareBooks } from '../harness/shared-books';
import { WholeRain } from '../harness/whole-rain';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PERSON = requestOf('marketing', 'campaign').caller;

let rain: WholeRain;
let apis: Graph[];
let serial = 0;

proveBooks();
afterAll(() => rain.stop());
shareBooks({ APPROVAL_ABOVE: '1000.00', APPROVAL_ABOVE_DAILY: '1500.00' });

beforeAll(async () => {
  rain = await WholeRain.over(books);
  apis = [await rain.openApi(), await rain.openApi()];
});

const local = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
const tomorrow = (): string => local(Date.now() + DAY_MS).slice(0, 10);
const inAnHour = (): string => local(Date.now() + HOUR_MS);

const bodyOf = (change: Partial<SeriesBody> = {}): SeriesBody => ({
  name: 'Daily rain',
  sponsorId: `serial-${(serial += 1)}`,
  totalAmount: '1.00',
  packetCount: 2,
  split: { kind: 'equal' },
  rrule: 'FREQ=DAILY',
  timeZone: 'UTC',
  start: inAnHour(),
  durationSeconds: 3_600,
  createAheadHours: 2,
  count: 3,
  ...change,
});

const service = () => apis[0]!.get(SeriesService);
const create = (body: SeriesBody) => service().create(requestOf('marketing', 'campaign'), body);

async function sweep(...graphs: Graph[]): Promise<void> {
  await rain.worker.get(WorkerPresence).sign();
  const { signal } = new AbortController();
  await Promise.all(graphs.map((graph) => graph.get(SeriesSweep).sweep(signal)));
}

const look = (id: string) =>
  books.dataSource.query(
    `update series set look_at = now() - interval '1 second' where id = $1 and look_at is not null`,
    [id],
  );

/** Time passes for a series: everything that it waits for comes nearer, and its decisions become older. */
async function pass(id: string, ms: number): Promise<void> {
  const seconds = Math.ceil(ms / 1_000);
  await books.dataSource.transaction(async (tx) => {
    // In the order of a sweep that may still be at work: first the series, then its occurrences.
    await tx.query(`select from series where id = $1 for update`, [id]);
    await tx.query(`alter table series_occurrence disable trigger append_only`);
    // By way of another millennium: no two rows may open at once, not even in the middle of a statement.
    for (const by of [`interval '1000 years'`, `$2 * interval '1 second' - interval '1000 years'`])
      await tx.query(
        `update series_occurrence set opens_at = opens_at - (${by}), closes_at = closes_at - (${by})
          where series_id = $1 and $2::integer is not null`,
        [id, seconds],
      );
    await tx.query(`alter table series_occurrence enable trigger append_only`);
    await tx.query(
      `update series set start = to_char(start::timestamp - $2 * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS'),
                         next_opens_at = next_opens_at - $2 * interval '1 second', look_at = now() - interval '1 second'
        where id = $1 and next_opens_at is not null`,
      [id, seconds],
    );
  });
}

/** Time passes until the next occurrence is this far away. */
async function passUntil(id: string, beforeMs: number): Promise<void> {
  const { next } = await service().read(id);
  if (next) await pass(id, Date.parse(next.opensAt) - Date.now() - beforeMs);
}

/** Connections that were ended are noticed when they are used. */
const again = (id: string): Promise<boolean> =>
  look(id)
    .then(() => sweep(...apis))
    .then(
      () => true,
      () => false,
    );

/** The results, oldest first. */
async function resultsOf(id: string): Promise<string[]> {
  const { items } = await service().listOccurrences(id, { limit: 100 });
  return items.map(({ status, missed }) => missed?.reason ?? status).reverse();
}

const activitiesOf = async (sponsorId: string): Promise<number> => {
  const [row] = await books.dataSource.query<{ count: number }[]>(
    `select count(*)::integer as count from activity where sponsor_id = $1`,
    [sponsorId],
  );
  return row!.count;
};

/** Ends every other session in the middle of what it does, as the death of its process would. */
const killSessions = () =>
  books.dataSource.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );

describe('a series', () => {
  it('becomes an activity at each occurrence, funded and in its window', async () => {
    const body = bodyOf();
    await books.deposit(body.sponsorId!, 300n);
    const { id } = await create(body);
    for (let no = 0; no < 3; no += 1) {
      await passUntil(id, HOUR_MS);
      await sweep(...apis);
    }
    expect(await resultsOf(id)).toEqual(['created', 'created', 'created']);
    expect(await service().read(id)).toMatchObject({ status: 'ended', decided: 3 });
    const { items } = await service().listOccurrences(id, { limit: 1 });
    const activity = (await books.activities.findActivity(items[0]!.activityId!))!;
    expect(activity).toMatchObject({ sponsorId: body.sponsorId, totalMinor: 100n, name: 'Daily rain' });
    expect(activity.closesAt.getTime() - activity.opensAt.getTime()).toBe(HOUR_MS);
    expect((await books.wallets.read(body.sponsorId!, {})).balance).toBe('0.00');
  });

  it('of thirty occurrences has each once, created or missed with its reason, through kills, an empty wallet and pauses', async () => {
    const channelId = await books.createChannel();
    const body = bodyOf({ count: 30, payout: { channelId } });
    const { id } = await create(body);
    const results: string[] = [];
    await books.deposit(body.sponsorId!, 800n);
    for (let day = 0; day < 30; day += 1) {
      if (day === 12) await books.deposit(body.sponsorId!, 5_000n);
      if (day === 15) await books.setPaused(channelId, true);
      if (day === 18) await books.setPaused(channelId, false);
      if (day === 20) await service().pause(requestOf('marketing', 'campaign'), id);
      if (day === 22) await service().resume(requestOf('marketing', 'campaign'), id);
      await passUntil(id, HOUR_MS / 2);
      const swept = sweep(...apis);
      if (day % 3 === 0) await killSessions();
      await swept.catch(() => undefined);
      await waitFor(() => again(id), { what: 'connections that are alive' });
      if ((await resultsOf(id)).length === day + 1) results.push('created');
      else {
        await passUntil(id, -1_000);
        await sweep(...apis);
        results.push((await resultsOf(id)).at(-1)!);
      }
      expect(await resultsOf(id)).toHaveLength(day + 1);
    }
    const times = (count: number, result: string) => Array.from({ length: count }, () => result);
    const expected = [
      ...[...times(8, 'created'), ...times(4, 'no-funds'), ...times(3, 'created'), ...times(3, 'channel')],
      ...[...times(2, 'created'), ...times(2, 'paused'), ...times(8, 'created')],
    ];
    expect(await resultsOf(id)).toEqual(expected);
    expect(results).toEqual(expected);
    expect(await activitiesOf(body.sponsorId!)).toBe(21);
    expect((await books.wallets.read(body.sponsorId!, {})).balance).toBe('37.00');
    expect(await service().read(id)).toMatchObject({ status: 'ended', decided: 30 });
  });

  it('that was not swept for a while misses occurrences that are over, and creates those that are still open', async () => {
    const body = bodyOf();
    await books.deposit(body.sponsorId!, 300n);
    const { id } = await create(body);
    await passUntil(id, -DAY_MS - HOUR_MS / 2);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['late', 'created']);
  });

  it('does not become a second activity even if its own row names an occurrence that was created', async () => {
    const body = bodyOf();
    await books.deposit(body.sponsorId!, 300n);
    const { id } = await create(body);
    await sweep(...apis);
    const read = await service().read(id);
    await books.dataSource.query(
      `update series set next_opens_at = next_opens_at - interval '1 day', look_at = now() - interval '1 second' where id = $1`,
      [id],
    );
    await sweep(...apis);
    expect(await activitiesOf(body.sponsorId!)).toBe(1);
    expect(await service().read(id)).toMatchObject({ decided: read.decided, next: read.next });
  });

  it('says why an occurrence cannot be created yet, and creates it once the reason is gone', async () => {
    const body = bodyOf();
    const { id } = await create(body);
    await sweep(...apis);
    expect((await service().read(id)).next).toMatchObject({ refusal: { reason: 'no-funds' } });
    await books.deposit(body.sponsorId!, 100n);
    await look(id);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['created']);
    expect((await service().read(id)).next).not.toHaveProperty('refusal.reason');
  });

  it('waits for a second person whom nobody asked, and is missed without one', async () => {
    const body = bodyOf({ totalAmount: '20000000.00' });
    await books.deposit(body.sponsorId!, 2_000_000_000n);
    const { id } = await create(body);
    await sweep(...apis);
    const { next, writtenBy } = await service().read(id);
    expect(next).toMatchObject({ refusal: { reason: 'second-person' } });
    // What is missed stays for ever, and people may be forgotten.
    expect(JSON.stringify(next)).not.toContain(writtenBy);
    expect((await books.wallets.read(body.sponsorId!, {})).balance).toBe('20000000.00');
  });

  it('counts towards what a person may do alone within a day for the person who wrote its terms last', async () => {
    const body = bodyOf({ totalAmount: '800.00', createAheadHours: 48 });
    await books.deposit(body.sponsorId!, 160_000n);
    const { id } = await service().create(requestOf('campaign-uma', 'campaign'), body);
    for (let day = 0; day < 2; day += 1) await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['created']);
    expect((await service().read(id)).next).toMatchObject({ refusal: { reason: 'second-person' } });
    await service().replace(requestOf('campaign-vic', 'campaign').caller, id, body);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['created', 'created']);
  });

  it('in a currency that nobody may move alone waits for a second person, however small the amount', async () => {
    await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
    const body = bodyOf({ currency: 'COINS', totalAmount: '2' });
    await books.deposit(body.sponsorId!, 2n, 'COINS');
    const { id } = await create(body);
    await sweep(...apis);
    expect((await service().read(id)).next).toMatchObject({ refusal: { reason: 'second-person' } });
  });

  it('of rehearsals, which move no money, needs neither money nor a second person', async () => {
    const body = bodyOf({ rehearsal: true, totalAmount: '5000.00', count: 1 });
    const { id } = await create(body);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['created']);
  });

  it('is created after a stop of the pre-flight, if that passes before the end', async () => {
    const body = bodyOf({ admission: 'ticket' });
    await books.deposit(body.sponsorId!, 100n);
    const { id } = await create(body);
    await sweep(...apis);
    expect((await service().read(id)).next).toMatchObject({ refusal: { reason: 'preflight' } });
    await passUntil(id, -HOUR_MS / 2);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual([]);
    await passUntil(id, -HOUR_MS);
    await sweep(...apis);
    expect(await resultsOf(id)).toEqual(['preflight']);
  });

  it('that is broken does not stop others', async () => {
    const [broken, whole] = [bodyOf(), bodyOf()];
    for (const { sponsorId } of [broken, whole]) await books.deposit(sponsorId!, 100n);
    const [one, other] = [await create(broken), await create(whole)];
    await books.dataSource.query(
      `update series set rrule = 'FREQ=NEVER', look_at = now() - interval '1 hour' where id = $1`,
      [one.id],
    );
    await sweep(...apis);
    expect(await resultsOf(other.id)).toEqual(['created']);
    expect((await service().read(one.id)).next).toMatchObject({ refusal: { reason: 'failed' } });
  });

  it('that fails at every sweep, even after its last occurrence is over, does not come before others', async () => {
    const [whole, ...broken] = Array.from({ length: 51 }, () => bodyOf());
    await books.deposit(whole!.sponsorId!, 100n);
    const ids: string[] = [];
    for (const body of broken) ids.push((await create(body)).id);
    const { id } = await create(whole!);
    const breaks = (change: string, some: string[]) =>
      books.dataSource.query(`update series set ${change} where id = any($1)`, [some]);
    await breaks(`rrule = 'FREQ=NEVER', look_at = now() - interval '9 days'`, ids);
    await breaks(`next_opens_at = now() - interval '1 day'`, ids.slice(25));
    await breaks(`next_opens_at = now() - interval '1 minute'`, ids.slice(0, 25));
    await sweep(apis[0]!);
    await sweep(apis[0]!);
    expect(await resultsOf(id)).toEqual(['created']);
    await breaks(`status = 'ended', next_opens_at = null, look_at = null`, ids);
  });

  const hours = Array.from({ length: 24 }, (_, hour) => hour).join(',');
  const hourly = (change: Partial<SeriesBody>) =>
    bodyOf({ rrule: `FREQ=DAILY;BYHOUR=${hours}`, count: 200, ...change });

  it('that has missed more than a hundred occurrences lists each as late, whatever prevents the next from being created', async () => {
    const body = hourly({ admission: 'ticket' });
    await books.deposit(body.sponsorId!, 100n);
    const { id } = await create(body);
    await passUntil(id, -144 * HOUR_MS - 1_000);
    for (let look = 0; look < 3; look += 1) await sweep(apis[0]!);
    const results = (await service().listOccurrences(id, { limit: 200 })).items.map(
      ({ missed }) => missed?.reason,
    );
    expect(results).toEqual(Array.from({ length: 144 }, () => 'late'));
    expect((await service().read(id)).next).toMatchObject({ refusal: { reason: 'preflight' } });
  });

  it('that is paused creates nothing, even after more than a hundred occurrences without a sweep', async () => {
    const body = hourly({ durationSeconds: 604_800 });
    await books.deposit(body.sponsorId!, 100n);
    const { id } = await create(body);
    await service().pause(requestOf('marketing', 'campaign'), id);
    await passUntil(id, -120 * HOUR_MS - 1_000);
    for (let look = 0; look < 3; look += 1) await sweep(apis[0]!);
    const { items } = await service().listOccurrences(id, { limit: 200 });
    expect(items.map(({ missed }) => missed?.reason)).toEqual(Array.from({ length: 121 }, () => 'paused'));
    expect(await activitiesOf(body.sponsorId!)).toBe(0);
  });

  it.each(['waves', 'even'] as const)(
    'keeps the distance of its pace from each opening: %s',
    async (kind) => {
      const first = Math.floor(Date.now() / 1_000) * 1_000 + HOUR_MS;
      const at = (ms: number) => new Date(first + ms).toISOString();
      const waves = [
        { at: at(60_000), count: 1 },
        { at: at(120_000), count: 1 },
      ];
      const wish = kind === 'waves' ? { kind, waves } : { kind, until: at(120_000) };
      const body = bodyOf({ start: local(first), createAheadHours: 48, pace: wish });
      await books.deposit(body.sponsorId!, 300n);
      const { id } = await create(body);
      await sweep(...apis);
      await sweep(...apis);
      const { items } = await service().listOccurrences(id, { limit: 10 });
      for (const { activityId } of items) {
        const { opensAt, paced } = (await books.activities.findActivity(activityId!))!;
        const instants = paced.flatMap(({ pace }) =>
          pace.kind === 'waves' ? pace.waves.map(({ atMs }) => atMs) : [pace.fromMs, pace.untilMs],
        );
        const offsets = instants.map((ms) => ms - opensAt.getTime());
        expect(offsets).toEqual(kind === 'waves' ? [60_000, 120_000] : [0, 120_000]);
      }
      expect(items).toHaveLength(2);
    },
  );
});

it('the request body in docs/extensions/series.md is accepted, with another start', async () => {
  const [, json] = /```json\n([^]*?)```/.exec(readFileSync('docs/extensions/series.md', 'utf8'))!;
  const { next } = await create({ ...(JSON.parse(json!) as SeriesBody), start: inAnHour() });
  expect(next).toBeDefined();
});

it('an occurrence that is over counts as overdue, even if the next look at its series lies ahead', async () => {
  const overdue = () => apis[0]!.get(SeriesRepository).overdueSeconds();
  await books.dataSource.query(
    `update series set look_at = next_opens_at + interval '2 days', next_opens_at = next_opens_at + interval '2 days'
      where status <> 'ended'`,
  );
  expect(await overdue()).toBe(0);
  const { id } = await create(bodyOf());
  const set = (change: string) => books.dataSource.query(`update series set ${change} where id = $1`, [id]);
  await set(`look_at = now() + interval '1 minute', next_opens_at = now() - interval '3 hours'`);
  expect(await overdue()).toBeGreaterThanOrEqual(7_200);
  await set(`look_at = now() - interval '1 hour', next_opens_at = now()`);
  expect(await overdue()).toBeGreaterThanOrEqual(3_600);
  await service().end(requestOf('marketing', 'campaign'), id);
  expect(await overdue()).toBe(0);
});

describe('a preview of a series', () => {
  const opensAt = async (timing: object) => {
    const { occurrences, hasMore } = await service().preview({ ...bodyOf(), ...timing });
    return [occurrences.map((one) => one.opensAt), hasMore];
  };

  it('lists the next ten occurrences, across a change of clocks, and says whether more follow', async () => {
    const thisYear = new Date().getUTCFullYear();
    const year = Date.now() < Date.UTC(thisYear, 1, 15) ? thisYear : thisYear + 1;
    const berlin = {
      timeZone: 'Europe/Berlin',
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=15',
      start: `${year}-02-15T20:00:00`,
    };
    const [opened, hasMore] = await opensAt({ ...berlin, count: 11 });
    expect(opened).toHaveLength(10);
    expect(opened).toEqual(
      expect.arrayContaining([`${year}-03-15T19:00:00.000Z`, `${year}-04-15T18:00:00.000Z`]),
    );
    expect(hasMore).toBe(true);
    expect(await opensAt({ ...berlin, count: 2 })).toEqual([
      [`${year}-02-15T19:00:00.000Z`, `${year}-03-15T19:00:00.000Z`],
      false,
    ]);
  });

  it('walks along the rule once, however many occurrences are over', async () => {
    const walks = jest.spyOn(RRuleTemporal.prototype, 'next');
    const [opened, hasMore] = await opensAt({ start: local(Date.now() - 30.5 * DAY_MS), count: 40 });
    expect(opened).toHaveLength(9);
    expect(hasMore).toBe(false);
    expect(walks.mock.calls.length).toBeLessThanOrEqual(1);
    walks.mockRestore();
  });

  it('is refused where a series would be, and leaves out occurrences that are over', async () => {
    expect(await codeOf(service().preview({ ...bodyOf(), rrule: 'FREQ=SECONDLY' }))).toBe('request.invalid');
    expect(await codeOf(service().preview(bodyOf({ start: local(Date.now() - 9 * DAY_MS) })))).toBe(
      'request.invalid',
    );
    const begun = { start: local(Date.now() - DAY_MS / 2), count: 3 };
    expect((await opensAt(begun))[0]).toHaveLength(2);
  });

  it('names a field of the request, as the series does, if the first occurrence would end too late', async () => {
    const late = bodyOf({ start: local(Date.now() + 365 * DAY_MS), count: 1, durationSeconds: 2 * 86_400 });
    const refused = {
      fields: [
        { field: 'durationSeconds', message: 'must end the first occurrence within 366 days from now' },
      ],
    };
    await expect(service().preview(late)).rejects.toMatchObject(refused);
    await expect(create(late)).rejects.toMatchObject(refused);
  });
});

it.each(['+23:59', '-23:59', '+16:00'])('a series ends at an instant with the offset %s', async (offset) => {
  const until = `${local(Date.now() + 9 * DAY_MS)}${offset}`;
  const { id } = await create(bodyOf({ count: undefined, until }));
  expect((await service().read(id)).until).toBe(new Date(until).toISOString());
});

it('the list of series shows those that a person wrote last, and that person is not forgotten while one of them continues', async () => {
  const [ann, bob] = [requestOf('campaign-ann', 'campaign'), requestOf('campaign-bob', 'campaign')];
  const standing = () => apis[0]!.get(ErasureService).standing('campaign-ann');
  const body = bodyOf();
  const { id } = await service().create(ann, body);
  expect((await service().list({ limit: 10, writtenBy: 'campaign-ann' })).items).toMatchObject([{ id }]);
  expect((await standing()).underWay).toEqual([{ what: 'series', id }]);
  await service().replace(bob.caller, id, body);
  expect((await service().list({ limit: 10, writtenBy: 'campaign-ann' })).items).toEqual([]);
  expect((await standing()).underWay).toEqual([]);
});

it('the sponsor of a series is not forgotten while it continues, because it would send in the name of nobody', async () => {
  const body = bodyOf();
  const { id } = await create(body);
  const underWay = async () =>
    (await apis[0]!.get(ErasureService).standing(body.sponsorId!)).underWay.map(({ what }) => what);
  expect(await underWay()).toEqual(['series']);
  await service().end(requestOf('marketing', 'campaign'), id);
  expect(await underWay()).toEqual([]);
});

it('the audit log of a creation that waits for a second person has its terms, without the password of its audience', async () => {
  const request = requestOf('marketing', 'campaign');
  const body = {
    ...{
      name: 'Secret',
      sponsorId: 'shop',
      totalAmount: '2000.00',
      packetCount: 2,
      split: { kind: 'equal' },
    },
    ...{ opensAt: local(Date.now()) + 'Z', closesAt: local(Date.now() + HOUR_MS) + 'Z' },
    audience: { kind: 'password', password: 'open sesame' },
  } as CreateActivityBody;
  const { id } = await apis[0]!.get(CreateService).create(request, body);
  const [row] = await books.dataSource.query<{ entry: string }[]>(
    `select to_jsonb(audit_log)::text as entry from audit_log where action = 'approval.ask' and subject like $1`,
    [`%:${id}`],
  );
  expect(row!.entry).toContain('2000.00');
  expect(row!.entry).not.toContain('sesame');
});

it('the audit log of a series has its amounts and its sponsor, and neither password of its audience', async () => {
  const body = (password: string) => ({ audience: { kind: 'password', password } }) as Partial<SeriesBody>;
  const first = bodyOf(body('open sesame'));
  const { id } = await create(first);
  await service().replace(PERSON, id, { ...first, ...body('open barley'), totalAmount: '2.00' });
  const rows = await books.dataSource.query<{ entry: string }[]>(
    `select to_jsonb(audit_log)::text as entry from audit_log where subject = 'series:' || $1 order by id`,
    [id],
  );
  expect(rows.map(({ entry }) => entry)).toEqual([
    expect.stringContaining(first.sponsorId!),
    expect.stringContaining('2.00'),
  ]);
  expect(rows.map(({ entry }) => entry).join()).not.toContain('open ');
});

it('the audit log names who paused, resumed and ended a series', async () => {
  const { id } = await create(bodyOf());
  const by = (person: string) => requestOf(person, 'campaign');
  await service().pause(by('campaign-ida'), id);
  await service().resume(by('campaign-jon'), id);
  await service().end(by('campaign-kai'), id);
  const deeds = await books.dataSource.query(
    `select actor_id as actor, action, before, after from audit_log where subject = 'series:' || $1 order by id offset 1`,
    [id],
  );
  const [active, paused, ended] = ['active', 'paused', 'ended'].map((status) => ({ status }));
  expect(deeds).toEqual([
    { actor: 'campaign-ida', action: 'series.pause', before: active, after: paused },
    { actor: 'campaign-jon', action: 'series.resume', before: paused, after: active },
    { actor: 'campaign-kai', action: 'series.end', before: active, after: ended },
  ]);
});

it('the list of series finds only the series that an activity comes from', async () => {
  const body = bodyOf();
  await books.deposit(body.sponsorId!, 100n);
  const [{ id }] = [await create(body), await create(bodyOf())];
  await sweep(...apis);
  const { items } = await service().listOccurrences(id, { limit: 1 });
  const found = await service().list({ limit: 10, activityId: items[0]!.activityId });
  expect(found.items.map((one) => one.id)).toEqual([id]);
  expect((await service().list({ limit: 10, activityId: '999999' })).items).toEqual([]);
});

describe('a change of a series', () => {
  it('applies only to occurrences that are not created yet', async () => {
    const body = bodyOf();
    await books.deposit(body.sponsorId!, 500n);
    const { id } = await create(body);
    await sweep(...apis);
    const { next } = await service().read(id);
    const changed = await service().replace(PERSON, id, {
      ...body,
      totalAmount: '2.00',
      name: 'Larger rain',
    });
    expect(changed.next).toEqual(next);
    await look(id);
    await sweep(...apis);
    expect(await activitiesOf(body.sponsorId!)).toBe(1);
    await passUntil(id, HOUR_MS);
    await sweep(...apis);
    const { items } = await service().listOccurrences(id, { limit: 10 });
    const totals = await Promise.all(
      items.map(async ({ activityId }) => (await books.activities.findActivity(activityId!))!.totalMinor),
    );
    expect(totals).toEqual([200n, 100n]);
  });

  it('of its time does not fund a day again for which an activity was created', async () => {
    const body = bodyOf({ start: `${tomorrow()}T20:00:00`, createAheadHours: 120, count: 8 });
    await books.deposit(body.sponsorId!, 800n);
    const { id } = await create(body);
    for (let day = 0; day < 6; day += 1) await sweep(apis[0]!);
    const created = await activitiesOf(body.sponsorId!);
    expect(created).toBeGreaterThan(3);
    const { next } = await service().read(id);
    for (const minute of ['00', '30']) {
      const start = `${tomorrow()}T20:${minute}:00`;
      const later = await service().replace(PERSON, id, { ...body, start });
      expect(later.next!.opensAt).toBe(next!.opensAt.replace('T20:00', `T20:${minute}`));
    }
    await sweep(apis[0]!);
    expect(await activitiesOf(body.sponsorId!)).toBe(created);
  });

  it('of its time funds no day twice and leaves no day out, by the days of its zone', async () => {
    const day = local(Date.now() + 2 * DAY_MS).slice(0, 10);
    // Ten hours behind UTC: 01:00 and 20:00 of one day there are on two days of UTC.
    const body = bodyOf({
      ...{ timeZone: 'Pacific/Honolulu', start: `${day}T01:00:00`, createAheadHours: 120, count: 8 },
    });
    await books.deposit(body.sponsorId!, 800n);
    const { id } = await create(body);
    for (let look = 0; look < 6; look += 1) await sweep(apis[0]!);
    expect(await activitiesOf(body.sponsorId!)).toBeGreaterThan(1);
    const { next } = await service().read(id);
    const moved = await service().replace(PERSON, id, { ...body, start: `${day}T20:00:00` });
    expect(Date.parse(moved.next!.opensAt) - Date.parse(next!.opensAt)).toBe(19 * HOUR_MS);
  });

  it('is refused if it leaves no occurrence after those that are created', async () => {
    const body = bodyOf();
    await books.deposit(body.sponsorId!, 100n);
    const { id } = await create(body);
    await sweep(...apis);
    expect(await codeOf(service().replace(PERSON, id, { ...body, count: 1 }))).toBe('request.invalid');
  });

  it('does not remove an occurrence that was to open before it', async () => {
    const body = bodyOf();
    const { id } = await create(body);
    await passUntil(id, -1_000);
    await service().pause(requestOf('marketing', 'campaign'), id);
    expect(await resultsOf(id)).toEqual(['late']);
  });

  it('is refused for another sponsor, after the end, and beyond twenty series of a sponsor', async () => {
    const body = bodyOf();
    const { id } = await create(body);
    const other = service().replace(PERSON, id, { ...body, sponsorId: 'another' });
    expect(await codeOf(other)).toBe('request.invalid');
    await service().end(requestOf('marketing', 'campaign'), id);
    expect(await codeOf(service().resume(requestOf('marketing', 'campaign'), id))).toBe('series.ended');
    for (let no = 0; no < 20; no += 1) await create(body);
    expect(await codeOf(create(body))).toBe('series.too_many');
  });
});
