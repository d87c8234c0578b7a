import { randomBytes, randomUUID } from 'node:crypto';
import { Batch, type BatchTerms, seedCommitment } from '../../libs/split';
import { checkPublicFiles } from '../../src/dev/split/public-files';
import { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

interface Word {
  readonly commitment: string;
  readonly sponsorSeed: string;
}

const newWord = async (sponsor: Caller): Promise<Word> => {
  const { status, body } = await sponsor.post('/v1/commitments');
  expect([status, body]).toEqual([
    201,
    { commitment: expect.stringMatching(/^[0-9a-f]{64}$/), expiresAt: expect.any(String) },
  ]);
  return { commitment: body.commitment, sponsorSeed: randomBytes(32).toString('hex') };
};

const planWith = (word: object, sponsorId?: string) => ({
  ...planOf({ totalAmount: '10.00', packetCount: 5, sponsorId }),
  ...word,
});

const give = (owner: string) => rain.deposit(owner, '100.00');

const fairnessOf = async (id: string) => (await rain.operator().get(`/v1/activities/${id}/fairness`)).body;

/** A user with money, and the plan of their activity with these fields. */
async function sponsorNamed(sub: string): Promise<[Caller, (word: object) => object]> {
  await give(sub);
  return [rain.user(sub), (word) => ({ ...planWith(word, sub), audience: { kind: 'public' } })];
}

describe('an activity with the word of its sponsor', () => {
  it('is drawn from both seeds, which its terms name and anyone can check', async () => {
    const [sponsor, plan] = await sponsorNamed('word-giver');
    const word = await newWord(sponsor);
    const { status, body } = await sponsor.post('/v1/activities', plan(word));
    expect(status).toBe(201);
    const before = await fairnessOf(body.id);
    expect(before.batches).toMatchObject([{ terms: { v: '3', ...word }, seed: null }]);
    expect(await checkPublicFiles([JSON.stringify(before)])).toEqual([
      `activity ${body.id} batch 0: not revealed yet; drawn with the sponsor's word ${word.sponsorSeed}`,
    ]);
    await sponsor.post(`/v1/activities/${body.id}/top-ups`, { amount: '1.00', packetCount: 1 });
    await sponsor.post(`/v1/activities/${body.id}/close`);
    const after = await fairnessOf(body.id);
    expect(seedCommitment(after.batches[0].seed)).toBe(word.commitment);
    const name = `activity ${body.id} batch`;
    expect(await checkPublicFiles([JSON.stringify(after)])).toEqual([
      `${name} 0: all 5 packets are as committed, drawn with the sponsor's word ${word.sponsorSeed}`,
      `${name} 1: all 1 packets are as committed, drawn by the server alone`,
    ]);
    const { amounts } = await rain.row<{ amounts: string }>(
      `select string_agg(amount_minor::text, ',' order by no) as amounts from packet
        where activity_id = ${body.id} and no <= 5`,
    );
    const [{ terms, seed }] = after.batches as [{ terms: BatchTerms; seed: string }];
    expect(amounts).toBe(new Batch(seed, terms, 1).amounts().join());
  });

  it('is created once, however often the same request comes, even if its commitment has expired since', async () => {
    const [sponsor, plan] = await sponsorNamed('word-repeater');
    const body = plan(await newWord(sponsor));
    const send = () => sponsor.post('/v1/activities', body, { key: 'the-same-creation' });
    const first = await send();
    await rain.sql(
      `update seed_commitment set expires_at = now() - interval '1 hour' where user_id = 'word-repeater'`,
    );
    const again = await send();
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('whose creation fails leaves the commitment for the next creation', async () => {
    const word = await newWord(rain.user('word-poor'));
    const body = { ...planWith(word, 'word-poor'), audience: { kind: 'public' } };
    expect((await rain.user('word-poor').post('/v1/activities', body)).body.code).toBe(
      'wallet.insufficient_funds',
    );
    await give('word-poor');
    expect((await rain.user('word-poor').post('/v1/activities', body)).status).toBe(201);
  });

  it('is the only one of several that bring the same commitment at once', async () => {
    const operator = rain.operator();
    await give('word-twice');
    const { commitment } = await newWord(operator);
    const answers = await Promise.all(
      ['aa', 'bb', 'cc', 'dd'].map((byte) =>
        operator.post('/v1/activities', planWith({ commitment, sponsorSeed: byte.repeat(32) }, 'word-twice')),
      ),
    );
    expect(answers.map(({ body }) => body.code ?? 'created').sort()).toEqual([
      ...['commitment.used', 'commitment.used', 'commitment.used'],
      'created',
    ]);
  });
});

describe('a rain with the word of its sponsor whose Redis is flushed in the middle', () => {
  it('continues with the packets that both seeds draw, each once, and proves them', async () => {
    const [sponsor, plan] = await sponsorNamed('word-flushed');
    const word = await newWord(sponsor);
    const body = { ...plan(word), packetCount: 12 };
    const { id } = (await sponsor.post('/v1/activities', body)).body;
    const users = Array.from({ length: 12 }, (_, i) => rain.user(`flushed-${i}`));
    const win = (user: Caller) =>
      waitFor(async () => (await user.post(`/v1/activities/${id}/grabs`)).body.redPacketId as string, {
        what: 'a packet',
      });
    const won = await Promise.all(users.slice(0, 5).map(win));
    await rain.redis.flushall();
    for (const user of users.slice(5)) won.push(await win(user));
    expect(new Set(won).size).toBe(12);
    const proofs = await Promise.all(
      won.map(
        async (packet, i) => (await rain.user(`flushed-${i}`).get(`/v1/me/packets/${packet}/proof`)).text,
      ),
    );
    await sponsor.post(`/v1/activities/${id}/close`);
    const fairness = await fairnessOf(id);
    const [{ terms, seed }] = fairness.batches as [{ terms: BatchTerms; seed: string }];
    expect(terms).toMatchObject({ v: '3', ...word });
    const claims = await rain.sql<{ amount: string }>(
      `select amount_minor as amount from claim where activity_id = ${id} order by packet_no`,
    );
    expect(claims.map(({ amount }) => amount).join()).toBe(new Batch(seed, terms, 1).amounts().join());
    const lines = await checkPublicFiles([JSON.stringify(fairness), ...proofs]);
    expect(lines).toHaveLength(13);
    expect(lines[0]).toContain("as committed, drawn with the sponsor's word");
  });
});

describe('a commitment', () => {
  const refused = async (word: object, user = 'word-refused') => {
    const { status, body } = await rain.user(user).post('/v1/activities', planWith(word, user));
    return [status, body.code, body.errors?.map(({ field }: { field: string }) => field) ?? body.detail];
  };
  const named = (field: string) => expect.stringContaining(`\`${field}\``) as string;

  it('is refused, naming the field, if it is missing, malformed, unknown, used, expired or belongs to another user', async () => {
    const sponsor = rain.user('word-refused');
    await give('word-refused');
    const { commitment, sponsorSeed } = await newWord(sponsor);
    expect(await refused({ sponsorSeed })).toEqual([400, 'request.invalid', ['commitment']]);
    expect(await refused({ commitment })).toEqual([400, 'request.invalid', ['sponsorSeed']]);
    for (const wrong of [
      commitment.toUpperCase(),
      commitment.slice(1),
      `${commitment}00`,
      '',
      7,
      null,
      [commitment],
    ]) {
      expect(await refused({ commitment: wrong, sponsorSeed })).toEqual([
        400,
        'request.invalid',
        ['commitment'],
      ]);
      expect(await refused({ commitment, sponsorSeed: wrong })).toEqual([
        400,
        'request.invalid',
        ['sponsorSeed'],
      ]);
    }
    expect(await refused({ commitment: 'ab'.repeat(32), sponsorSeed })).toEqual([
      ...[404, 'commitment.not_found', named('commitment')],
    ]);
    const foreign = await newWord(rain.user('word-other'));
    expect(await refused(foreign)).toEqual([404, 'commitment.not_found', named('commitment')]);
    const old = await newWord(sponsor);
    await rain.sql(
      `update seed_commitment set expires_at = now() where commitment = decode('${old.commitment}', 'hex')`,
    );
    expect(await refused(old)).toEqual([409, 'commitment.expired', named('commitment')]);
    const { status } = await sponsor.post(
      '/v1/activities',
      planWith({ commitment, sponsorSeed }, 'word-refused'),
    );
    expect(status).toBe(201);
    expect(await refused({ commitment, sponsorSeed })).toEqual([409, 'commitment.used', named('commitment')]);
  });

  it('is refused to a user who has a hundred unused ones, however many are requested at once', async () => {
    const greedy = rain.user('word-greedy');
    const asked = await Promise.all(Array.from({ length: 104 }, () => greedy.post('/v1/commitments')));
    const codes = asked.map(({ status, body }) => (status === 201 ? 'given' : body.code));
    expect(codes.filter((code) => code === 'given')).toHaveLength(100);
    expect(codes.filter((code) => code === 'commitment.too_many')).toHaveLength(4);
    expect((await rain.user('word-modest').post('/v1/commitments')).status).toBe(201);
  });

  it('is the same for the same key, and shows its seed to nobody', async () => {
    const ask = () => rain.user('word-same').post('/v1/commitments', undefined, { key: 'one-commitment' });
    const [first, again] = [await ask(), await ask()];
    expect(again.body).toEqual(first.body);
    const { seed } = await rain.row<{ seed: string }>(
      `select seed from seed_commitment where user_id = 'word-same'`,
    );
    expect(seedCommitment(seed)).toBe(first.body.commitment);
    expect(first.text).not.toContain(seed);
  });

  it('is swept with its seed when it has expired', async () => {
    const { commitment } = await newWord(rain.user('word-late'));
    await newWord(rain.user('word-late'));
    await rain.sql(
      `update seed_commitment set expires_at = now() where commitment = decode('${commitment}', 'hex')`,
    );
    const left = () =>
      rain.sql(`select encode(commitment, 'hex') as kept from seed_commitment where user_id = 'word-late'`);
    await waitFor(async () => (await left()).length === 1, { what: 'the sweep' });
    expect(await left()).not.toContainEqual({ kept: commitment });
  });
});

describe('a creation by staff that needs a second person', () => {
  it('keeps its commitment until it is decided, and draws from it then', async () => {
    const { url } = await rain.startAnother('main.js', { APPROVAL_ABOVE: '1.00' });
    const [ann, bob] = ['word-ann', 'word-bob'].map((sub) => new Caller(url, rain.tokenOf(sub, 'operator')));
    const sponsorId = `word-${randomUUID()}`;
    await give(sponsorId);
    const word = await newWord(ann!);
    const asked = await ann!.post('/v1/activities', planWith(word, sponsorId));
    expect([asked.status, asked.body.status]).toEqual([202, 'pending']);
    await rain.sql(
      `update seed_commitment set expires_at = now() - interval '1 day' where user_id = 'word-ann'`,
    );
    const swept = await newWord(ann!);
    await rain.sql(
      `update seed_commitment set expires_at = now() where commitment = decode('${swept.commitment}', 'hex')`,
    );
    const count = async () =>
      (await rain.sql(`select from seed_commitment where user_id = 'word-ann'`)).length;
    await waitFor(async () => (await count()) === 1, { what: 'the sweep' });
    expect((await ann!.post('/v1/activities', planWith(word, sponsorId))).body.code).toBe('commitment.used');
    const approved = await bob!.post(`/v1/approvals/${asked.body.id}/approve`);
    expect(approved).toMatchObject({ status: 200, body: { status: 'approved' } });
    const fairness = await fairnessOf(approved.body.resultId);
    expect(fairness.batches).toMatchObject([{ terms: { v: '3', ...word } }]);
  });
});
