import { Agent, request } from 'node:http';
import { openCosignature, WitnessSigner } from '../../libs/claim-log';
import { waitFor } from '../harness/engines';
import { rain, shareInstallation } from '../harness/shared-installation';

const WITNESS = new WitnessSigner('w.example', Buffer.alloc(32, 4));
const FLOODS = 40;
const ADDRESSES = 20;
const CHECKPOINTS = 6;

shareInstallation({
  CLAIM_LOG_KEY: Buffer.alloc(32, 3).toString('base64'),
  CLAIM_LOG_WITNESSES: WITNESS.verifierKey,
});

const agents = Array.from(
  { length: ADDRESSES },
  (_, i) => new Agent({ keepAlive: true, maxSockets: FLOODS, localAddress: `127.0.0.${i + 1}` }),
);

afterAll(() => agents.forEach((agent) => agent.destroy()));

/** Hands a line in from an address of this machine. Returns the status. */
const handIn = (agent: Agent, size: number, cosignature: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    request(`${rain.url}/v1/log/cosignatures`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    })
      .once('error', reject)
      .end(JSON.stringify({ size, cosignature }));
  });

const checkpoint = async (): Promise<string> => (await fetch(`${rain.url}/v1/log/checkpoint`)).text();

it('an honest witness hands in every time, while its own address and others send copied names and replayed lines', async () => {
  const id = await rain.createActivity({ totalAmount: '9.00', packetCount: 9 });
  let [lines, newest, isOver] = [['— w.example AAAA'], 0, false];
  const told = new Map<number, number>();
  const flood = async (no: number): Promise<void> => {
    for (let i = no; !isOver; i += 1) {
      const size = i % 9 === 8 ? 9_999 : newest - (i % 2);
      const status = await handIn(agents[no % ADDRESSES]!, Math.max(1, size), lines[i % lines.length]!);
      told.set(status, (told.get(status) ?? 0) + 1);
    }
  };
  const floods = Array.from({ length: FLOODS }, (_, no) => flood(no));
  try {
    for (let size = 1; size <= CHECKPOINTS; size += 1) {
      await rain.tap(id, `flood-${size}`);
      let note = '';
      const isSigned = async () => (note = await checkpoint()).includes(`\n${size}\n`);
      await waitFor(isSigned, { what: `a checkpoint of ${size} leaves` });
      const { line } = WITNESS.cosign(note, Math.floor(Date.now() / 1000));
      expect([size, await handIn(agents[0]!, size, line)]).toEqual([size, 200]);
      const forged = Buffer.from(line.split(' ')[2]!, 'base64').fill(size, 12).toString('base64');
      lines = [line, `— w.example ${forged}`, `— nobody.example ${forged}`, lines[0]!];
      newest = size;
    }
  } finally {
    isOver = true;
    await Promise.all(floods);
  }
  expect([...told.keys()].sort()).toEqual(expect.arrayContaining([200, 422, 429]));
  const isShown = async () => openCosignature(await checkpoint(), WITNESS.verifierKey) !== undefined;
  await waitFor(isShown, { what: 'the last line on the newest checkpoint' });
  const { rows } = await rain.row<{ rows: number }>('select count(*)::int as rows from claim_cosignature');
  expect(rows).toBe(CHECKPOINTS);
});
