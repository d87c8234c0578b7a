import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

const WINNERS = 100_000;

describe('an export of a hundred thousand claims', () => {
  let url: string;
  let stopOther: () => Promise<number | null>;
  let activityId: string;

  /** With one connection to Postgres, an export that kept it would stop all other requests. */
  beforeAll(async () => {
    activityId = await rain.createActivity({
      packetCount: WINNERS,
      totalAmount: '1000.00',
      split: { kind: 'equal' },
    });
    await rain.sql(
      `with won as (
         insert into claim (activity_id, packet_no, user_id, amount_minor)
         select activity_id, no, 'winner-' || no, amount_minor from packet where activity_id = $1
         returning id, activity_id, user_id, amount_minor
       )
       insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor) select * from won`,
      [activityId],
    );
    const other = await rain.startAnother('main.js', { DATABASE_POOL_MAX: '2' });
    url = other.url;
    rain.mayAnswer500(other.program);
    stopOther = async () => {
      await other.program.stop();
      return other.program.exitCode;
    };
  });

  async function open(sub = 'op1'): Promise<IncomingMessage> {
    const headers = {
      authorization: `Bearer ${rain.tokenOf(sub, 'operator')}`,
      accept: 'application/x-ndjson',
    };
    const request = get(`${url}/v1/activities/${activityId}/export/claims`, { agent: false, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  }

  const metric = (series: string) => rain.metric(series, url);

  const rowsRead = () => metric('hongbao_export_rows_total{kind="claims"}');

  const nothingRuns = () =>
    waitFor(async () => (await metric('hongbao_exports_running')) === 0, { what: 'the end of all exports' });

  function expectAll(body: string): void {
    const lines = body.trimEnd().split('\n');
    expect(lines.pop()).toBe(`{"end":true,"rows":${WINNERS}}`);
    expect(new Set(lines.map((line) => JSON.parse(line).userId)).size).toBe(WINNERS);
  }

  it('reads no further than its reader, does not hold a connection in the meantime, and is complete in the end', async () => {
    const slow = await open();
    const before = await rowsRead();
    expectAll(await text(await open()));
    const ofSlow = (await rowsRead()) - WINNERS;
    expect(before).toBeGreaterThan(0);
    expect(ofSlow).toBeGreaterThan(0);
    expect(ofSlow).toBeLessThan(WINNERS / 2);
    expect(await metric('hongbao_exports_running')).toBe(1);
    expectAll(await text(slow));
    await nothingRuns();
    expect(await rowsRead()).toBe(2 * WINNERS);
  });

  /** Reads an activity, which needs the only connection of the process. */
  async function readActivity(): Promise<number> {
    const headers = { authorization: `Bearer ${rain.tokenOf('ann')}` };
    return (await fetch(`${url}/v1/activities/${activityId}`, { headers })).status;
  }

  it('ends when its reader leaves, and gives its connection back', async () => {
    const before = await rowsRead();
    (await open()).destroy();
    await nothingRuns();
    expect((await rowsRead()) - before).toBeLessThan(WINNERS / 2);
    expect(await readActivity()).toBe(200);
  });

  it('is cut if Postgres fails on the way, so that a part does not look like the whole', async () => {
    const response = await open();
    await rain.sql('alter table claim rename to claim_away');
    try {
      await expect(text(response)).rejects.toThrow('aborted');
    } finally {
      await rain.sql('alter table claim_away rename to claim');
    }
    await nothingRuns();
  });

  it('may run twice at a time for one caller, and leaves room for others', async () => {
    const [first, second] = [await open(), await open()];
    const third = await open();
    expect([third.statusCode, third.headers['retry-after'], JSON.parse(await text(third)).code]).toEqual([
      503,
      '5',
      'busy',
    ]);
    const other = await open('op2');
    expect(other.statusCode).toBe(200);
    for (const response of [first, second, other]) response.destroy();
    await nothingRuns();
  });

  it('may run four times at a time in a process, which continues to serve other requests', async () => {
    const readers = ['op1', 'op1', 'op2', 'op2'];
    const running = [];
    for (const reader of readers) running.push(await open(reader));
    expect(running.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const one = await open('op3');
    expect([one.statusCode, JSON.parse(await text(one)).code]).toEqual([503, 'busy']);
    expect(await readActivity()).toBe(200);
    for (const response of running) response.destroy();
    await nothingRuns();
  });

  it('does not delay a process that receives SIGTERM', async () => {
    const response = await open();
    expect(await stopOther()).toBe(0);
    await expect(text(response)).rejects.toThrow('aborted');
  });
});
