import { ApiClient, type ApiProblem, createWithWord, type SponsorWord } from '.';

interface Received {
  readonly path: string;
  readonly key: string | null;
  readonly body?: Record<string, unknown>;
}

const PLAN = { name: 'Lunch', totalAmount: '10.00', packetCount: 5, split: { kind: 'random' } } as const;

const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const problem = (status: number, code: string): Response =>
  new Response(JSON.stringify({ status, code, title: code, detail: code }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...(status === 503 && { 'retry-after': '0' }) },
  });

/** A server that answers from these lists, and otherwise gives commitments and creates activities. */
class Server {
  readonly received: Received[] = [];
  readonly client = new ApiClient('http://api', 'token', { fetch: (request) => this.answer(request) });

  /** The answer about the fairness of the activity that was created. */
  fairness = problem(404, 'activity.not_found');

  constructor(
    private readonly commitments: (Response | Error)[] = [],
    private readonly creations: (Response | Error)[] = [],
  ) {}

  get paths(): string[] {
    return this.received.map(({ path }) => path.split('/').at(-1)!);
  }

  get bodies(): unknown[] {
    return this.received.filter(({ path }) => path === '/v1/activities').map(({ body }) => body);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const text = await request.text();
    const key = request.headers.get('idempotency-key');
    this.received.push({ path, key, body: text === '' ? undefined : JSON.parse(text) });
    const isCommitment = path === '/v1/commitments';
    const next = path.endsWith('/fairness')
      ? undefined
      : (isCommitment ? this.commitments : this.creations).shift();
    if (next instanceof Error) throw next;
    if (next) return next;
    if (path.endsWith('/fairness')) return this.fairness;
    const commitment = String(this.received.length).repeat(64);
    return json(201, isCommitment ? { commitment, expiresAt: '2031-01-01T00:00:00Z' } : { id: '7' });
  }
}

describe('a creation with a word', () => {
  it('asks for a commitment first, and then brings it with a seed that nobody has seen', async () => {
    const server = new Server();
    const [one, other] = [
      await createWithWord(server.client, PLAN),
      await createWithWord(server.client, PLAN),
    ];
    const once = ['commitments', 'activities', 'fairness'];
    expect(server.paths).toEqual([...once, ...once]);
    expect(server.received[0]!.body).toBeUndefined();
    expect(server.bodies).toEqual([
      { ...PLAN, ...one.word },
      { ...PLAN, ...other.word },
    ]);
    expect([one.status, one.body.id, one.word!.commitment]).toEqual([201, '7', '1'.repeat(64)]);
    expect(one.word!.sponsorSeed).toMatch(/^[0-9a-f]{64}$/);
    expect(other.word!.sponsorSeed).not.toBe(one.word!.sponsorSeed);
  });

  it.each([
    ['gives a commitment', []],
    ['gives none', [problem(404, 'route.not_found')]],
  ])('is repeated unchanged if the answer of a server that %s was lost', async (_, commitments) => {
    const server = new Server(commitments, [new TypeError('lost')]);
    let word: SponsorWord | null | undefined;
    const send = () =>
      createWithWord(server.client, PLAN, { key: 'once', word, onWord: (sent) => (word = sent) });
    await expect(send()).rejects.toThrow('api');
    await send();
    const isBrought = word !== null;
    expect(server.paths).toEqual([
      'commitments',
      'activities',
      'activities',
      ...(isBrought ? ['fairness'] : []),
    ]);
    expect(server.received[2]).toEqual(server.received[1]);
  });

  it('is drawn by the server alone if it gives no commitment, unless a word is demanded', async () => {
    const refusals = () => [problem(409, 'commitment.too_many'), problem(404, 'route.not_found')];
    const server = new Server(refusals());
    for (const _ of refusals()) expect((await createWithWord(server.client, PLAN)).word).toBeNull();
    expect(server.bodies).toEqual([PLAN, PLAN]);
    const demanded = createWithWord(new Server(refusals()).client, PLAN, { isDemanded: true });
    await expect(demanded).rejects.toMatchObject({ code: 'commitment.too_many' });
  });

  it('does not leave the draw to a server that cannot answer at the moment', async () => {
    const server = new Server([problem(503, 'unavailable'), problem(429, 'rate_limited')]);
    await expect(createWithWord(server.client, PLAN)).rejects.toMatchObject({ status: 429 });
    expect(server.bodies).toEqual([]);
  });

  it.each<[what: string, published: object[], isWordInTerms: boolean]>([
    ['has it', [{ commitment: '1'.repeat(64), sponsorSeed: 'b'.repeat(64) }], true],
    ['has another seed', [{ commitment: '1'.repeat(64), sponsorSeed: 'c'.repeat(64) }], false],
    ['has another commitment', [{ commitment: '2'.repeat(64), sponsorSeed: 'b'.repeat(64) }], false],
    ['has none', [{}], false],
    ['is empty', [], false],
  ])(
    'reports whether its word was published, if the published list %s',
    async (_, published, isWordInTerms) => {
      const server = new Server();
      server.fairness = json(200, { batches: published.map((terms) => ({ terms })), nextCursor: null });
      const word = { commitment: '1'.repeat(64), sponsorSeed: 'b'.repeat(64) };
      expect(await createWithWord(server.client, PLAN, { key: 'once', word })).toMatchObject({
        isWordInTerms,
      });
    },
  );

  it('succeeds even if the published terms cannot be read at the moment', async () => {
    expect(await createWithWord(new Server().client, PLAN)).toMatchObject({
      status: 201,
      isWordInTerms: undefined,
    });
  });

  it.each(['commitment.expired', 'commitment.not_found'])(
    'replaces a word of an earlier attempt at %s',
    async (code) => {
      const server = new Server([], [problem(409, code)]);
      const word = { commitment: 'a'.repeat(64), sponsorSeed: 'b'.repeat(64) };
      const answer = await createWithWord(server.client, PLAN, { key: 'once', word });
      expect(server.paths).toEqual(['activities', 'commitments', 'activities', 'fairness']);
      expect(answer.word!.commitment).not.toBe(word.commitment);
      expect(answer.word!.sponsorSeed).not.toBe(word.sponsorSeed);
    },
  );

  it('does not create again with a word that was used: there is an activity already', async () => {
    const word = { commitment: 'a'.repeat(64), sponsorSeed: 'b'.repeat(64) };
    const server = new Server([], [problem(409, 'commitment.used')]);
    const refused = createWithWord(server.client, PLAN, { key: 'once', word });
    await expect(refused).rejects.toMatchObject({ code: 'commitment.used' } satisfies Partial<ApiProblem>);
    expect(server.bodies).toHaveLength(1);
  });
});
