import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../../libs/client';
import { Line } from '../../src/web/kit/line';
import { Player, type View } from '../../src/web/rain/player';
import { waitFor } from '../harness/engines';

const ACTIVITY = {
  id: '1',
  phase: 'sold-out',
  opensAt: '2026-01-01T00:00:00Z',
  closesAt: '2099-01-01T00:00:00Z',
};
const PACKET = { activityId: '1', redPacketId: '10000001', amount: '7.10' };

/** Answers what a page asks, but says whether there is a packet only when the test lets it. */
class SlowApi {
  readonly asked: ServerResponse[] = [];
  private readonly server: Server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url!.startsWith('/v1/me/packets')) this.asked.push(response);
    else if (url === '/v1/activities/1') response.end(JSON.stringify(ACTIVITY));
    else response.end(JSON.stringify({ balance: '0.00', pending: '0.00', currency: 'CNY' }));
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  denyPacket(): void {
    this.asked.shift()!.end(JSON.stringify({ items: [], nextCursor: null }));
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

it('a packet that comes while the page asks whether there is one stays, though the answer is that there was none', async () => {
  const api = new SlowApi();
  let view: View | undefined;
  const url = await api.start();
  const client = new ApiClient(url, 'a-token');
  const player = new Player(
    client,
    new Line(client, url, 'a-token'),
    '1',
    (next) => (view = next),
    () => undefined,
  );
  try {
    const refreshed = player.refresh();
    await waitFor(() => api.asked.length === 1, { what: 'the question' });
    player.onEvent({ event: 'waitlist.assigned', data: PACKET });
    api.denyPacket();
    await refreshed;
    expect(view!.stage).toMatchObject({ at: 'won', win: { amount: '7.10', redPacketId: '10000001' } });
  } finally {
    player.stop();
    api.stop();
  }
});
