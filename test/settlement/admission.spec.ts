import { defineProblem } from '../../libs/problem';
import { newSecret } from '../../libs/standard-webhooks';
import type { AdmissionRow } from '../../src/core/activity';
import {
  type AdmissionRule,
  AdmissionRules,
  Admissions,
  type TapOptions,
  TapService,
} from '../../src/core/grab';
import { TicketKeyService } from '../../src/extensions/ticket/ticket-key.service';
import { TicketRule } from '../../src/extensions/ticket/ticket-rule';
import { WaitlistController } from '../../src/extensions/waitlist/waitlist.controller';
import { waitFor } from '../harness/engines';
import { type ActivityWish, requestOf } from '../harness/books';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, proveBooks, rain, shareRain } from '../harness/shared-books';
import { ticketFor, type TicketKey } from '../harness/ticket';

proveBooks();
shareRain();

/** A program to which no extension has brought the rule of tickets. */
const openProgram = (): Promise<Graph> => rain.openApi([[TicketRule, {}]]);

const open = (wish: Partial<ActivityWish> = {}) => rain.openRain({ packets: 3, ...wish });

const ANN = { userId: 'ann', role: 'user' } as const;

const tap = (program: Graph, id: string) =>
  program.get(TapService).answerTap(id, ANN, {}, { statusCode: 200 });

describe('a program that has no rule for the admission of an activity', () => {
  let program: Graph;

  beforeAll(async () => {
    program = await openProgram();
  });

  it('refuses its taps and its waiting list like those of a newer program', async () => {
    const id = await open({ admission: 'ticket' });
    const join = () => program.get(WaitlistController).join(id, ANN, {});
    expect(await codeOf(tap(program, id))).toBe('activity.newer');
    expect(await codeOf(tap(program, id))).toBe('activity.newer');
    expect(await codeOf(join())).toBe('activity.newer');
    expect(await books.wonPackets.findClaim(id, 'ann')).toBeUndefined();
    expect(() => program.get(Admissions).admitUser(id, 'ann', {})).toThrow('does not know all terms');
  });

  it('lets every user tap at activities that are open to all', async () => {
    const id = await open();
    expect(await tap(program, id)).toMatchObject({ code: '0' });
  });
});

const uninvited = defineProblem({ code: 'test.uninvited', status: 403, title: 'Not invited' });

/** Admits users who name themselves, once it knows the activity. Their wins are held. */
class InvitationRule implements AdmissionRule {
  readonly kinds = ['ticket'];
  readonly prepared = new Set<string>();
  isAway = false;

  admit({ id }: AdmissionRow, userId: string, { invited }: TapOptions): { hold: boolean } {
    if (!this.prepared.has(id) || invited !== userId) throw uninvited('Not you.');
    return { hold: true };
  }

  isPreparedFor({ id }: AdmissionRow): boolean {
    return this.prepared.has(id);
  }

  async prepare(activities: readonly AdmissionRow[]): Promise<void> {
    if (this.isAway) throw new Error('The source of the rule is away.');
    for (const { id } of activities) this.prepared.add(id);
  }

  refresh(newest: readonly AdmissionRow[]): Promise<void> {
    return this.prepare(newest);
  }

  async mayAdmitAnyone(): Promise<boolean> {
    return true;
  }
}

describe('a rule of admission', () => {
  let rule: InvitationRule;
  let rules: AdmissionRules;
  let admissions: Admissions;

  beforeEach(async () => {
    const program = await openProgram();
    rule = new InvitationRule();
    rules = program.get(AdmissionRules);
    rules.addRule(rule);
    admissions = program.get(Admissions);
  });

  const admit = (id: string, invited = 'ann') => admissions.admitUser(id, 'ann', { invited });
  const HELD = { hold: true, mayLimit: false };

  it('is prepared for the newest activities before they are tapped, so that their taps do not wait', async () => {
    const [invited, limited] = [
      await open({ admission: 'ticket' }),
      await open({ admission: 'ticket', limits: { perUser: 1 } }),
    ];
    const [all, allLimited] = [await open(), await open({ limits: { perUser: 1 } })];
    await admissions.refresh();
    expect([admit(invited), admit(limited)]).toEqual([HELD, { hold: true, mayLimit: true }]);
    expect([admit(all, 'nobody'), admit(allLimited, 'nobody')]).toEqual([
      { hold: false, mayLimit: false },
      { hold: false, mayLimit: true },
    ]);
    expect(rule.prepared).not.toContain(all);
    expect(() => admit(invited, 'bob')).toThrow('Not you.');
  });

  it('is prepared when a program starts', async () => {
    const id = await open({ admission: 'ticket' });
    await admissions.onModuleInit();
    expect(admit(id)).toEqual(HELD);
  });

  it('is prepared for an unknown activity before it judges a tap there', async () => {
    const id = await open({ admission: 'ticket' });
    expect(await admit(id)).toEqual(HELD);
    rule.prepared.clear();
    expect(await admit(id)).toEqual(HELD);
    rule.prepared.clear();
    expect(await codeOf((async () => admit(id, 'bob'))())).toBe('test.uninvited');
  });

  it('admits no users while it cannot be prepared, and judges as before where it is prepared', async () => {
    const known = await open({ admission: 'ticket' });
    await admissions.refresh();
    const unknown = await open({ admission: 'ticket' });
    rule.isAway = true;
    await expect(admit(unknown)).rejects.toThrow('The source of the rule is away.');
    await expect(admissions.refresh()).rejects.toThrow();
    expect(admit(known)).toEqual(HELD);
    rule.isAway = false;
    expect(await admit(unknown)).toEqual(HELD);
  });

  it('is not asked about an activity that does not exist', async () =>
    expect(await codeOf((async () => admit('999'))())).toBe('activity.not_found'));

  it('asks users to tap again if Postgres does not answer in time, and at once if 5,000 taps wait for that', async () => {
    const known = await open({ admission: 'ticket' });
    await admissions.refresh();
    const later = {
      code: 'unavailable',
      detail: 'Who may tap here could not be read from Postgres yet; tap again.',
      retryAfterSeconds: 1,
    };
    await books.dataSource.transaction(async (tx) => {
      await tx.query('lock table activity in access exclusive mode');
      const unknown = Array.from({ length: 5_000 }, (_, i) => (async () => admit(String(1_000 + i)))());
      let stillWait = unknown.length;
      const answers = unknown.map((one) => one.catch((reason: unknown) => reason).finally(() => stillWait--));
      await expect((async () => admit('998'))()).rejects.toMatchObject(later);
      expect(stillWait).toBe(unknown.length);
      expect(admit(known)).toEqual(HELD);
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(later);
    });
    await waitFor(async () => (await codeOf((async () => admit('998'))())) === 'activity.not_found', {
      what: 'an answer of Postgres',
    });
  });

  it('is the only rule of its kind', () => {
    expect(() => rules.addRule(new InvitationRule())).toThrow('Admission ticket has two rules.');
  });
});

describe('the rule of tickets', () => {
  let program: Graph;
  let admissions: Admissions;

  beforeAll(async () => {
    program = await rain.openApi();
    admissions = program.get(Admissions);
  });

  async function createKey(sponsorId: string): Promise<TicketKey> {
    const [key] = await books.dataSource.query<TicketKey[]>(
      `insert into ticket_key (sponsor_id, secret) values ($1, $2) returning id, secret`,
      [sponsorId, newSecret()],
    );
    return key!;
  }

  const deleteKey = ({ id }: TicketKey) =>
    books.dataSource.query(`update ticket_key set deleted_at = now(), secret = null where id = $1`, [id]);

  const admit = (id: string, key: TicketKey, more?: object) =>
    admissions.admitUser(id, 'ann', { ticket: ticketFor(key, id, 'ann', more) });

  it('has the keys of sponsors of the newest activities before the first tap, and newer keys after a refresh', async () => {
    const id = await open({ admission: 'ticket', sponsorId: 'newest' });
    const former = await createKey('newest');
    await admissions.refresh();
    expect(admit(id, former)).toEqual({ hold: false, mayLimit: false });
    expect(admit(id, former, { hold: true })).toEqual({ hold: true, mayLimit: false });
    const later = await createKey('newest');
    await deleteKey(former);
    expect(admit(id, former)).toEqual({ hold: false, mayLimit: false });
    expect(() => admit(id, later)).toThrow('not signed by a key of the sponsor');
    await admissions.refresh();
    expect(admit(id, later)).toEqual({ hold: false, mayLimit: false });
    expect(() => admit(id, former)).toThrow('not signed by a key of the sponsor');
    expect(() => admissions.admitUser(id, 'ann', {})).toThrow('Ask the sponsor of the activity for one.');
  });

  it('renews the keys of each sponsor that it knows, even if their activities are not among the newest', async () => {
    const id = await open({ admission: 'ticket', sponsorId: 'older' });
    const former = await createKey('older');
    expect(await admit(id, former)).toEqual({ hold: false, mayLimit: false });
    await deleteKey(former);
    await program.get(TicketRule).refresh([]);
    expect(() => admit(id, former)).toThrow('not signed by a key of the sponsor');
  });

  it('admits nobody by a key of another sponsor', async () => {
    const [own, foreign] = [await createKey('host'), await createKey('stranger')];
    const [hosted, strange] = [
      await open({ admission: 'ticket', sponsorId: 'host' }),
      await open({ admission: 'ticket', sponsorId: 'stranger' }),
    ];
    await admissions.refresh();
    expect([admit(hosted, own), admit(strange, foreign)]).toHaveLength(2);
    for (const [id, key] of [[hosted, foreign] as const, [strange, own] as const])
      expect(() => admit(id, key)).toThrow('not signed by a key of the sponsor');
  });

  it('reads forgotten keys again, and keeps a key whose tickets it has checked', async () => {
    const id = await open({ admission: 'ticket', sponsorId: 'forgotten' });
    const key = await createKey('forgotten');
    expect(await admit(id, key)).toEqual({ hold: false, mayLimit: false });
    const { keys } = program.get(TicketRule) as unknown as { keys: Map<string, readonly object[]> };
    const [checked] = keys.get('forgotten')!;
    await createKey('forgotten');
    await admissions.refresh();
    expect(keys.get('forgotten')).toHaveLength(2);
    expect(keys.get('forgotten')!.some((one) => one === checked)).toBe(true);
    keys.clear();
    expect(await admit(id, key)).toEqual({ hold: false, mayLimit: false });
  });

  it('cannot admit any user while the sponsor has no key', async () => {
    const mayAdmitAnyone = () => program.get(TicketRule).mayAdmitAnyone({ sponsorId: 'keyless' });
    expect(await mayAdmitAnyone()).toBe(false);
    const key = await createKey('keyless');
    expect(await mayAdmitAnyone()).toBe(true);
    await deleteKey(key);
    expect(await mayAdmitAnyone()).toBe(false);
  });
});

it('the secret of a deleted ticket key is shown to nobody, not even if its creation is sent again', async () => {
  const keys = books.serviceOf(TicketKeyService);
  const request = requestOf('keeper', 'user');
  const { id, secret } = await keys.create(request, {});
  expect(await keys.create(request, {})).toMatchObject({ id, secret });
  await keys.delete(request.caller, id);
  await expect(keys.create(request, {})).rejects.toMatchObject({ code: 'ticket_key.not_found' });
});
