import { GatewayClient } from '../harness/gateway-client';
import { rain } from '../harness/shared-installation';

const clients: GatewayClient[] = [];

afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

/** Connects until the end of the test. */
export async function connectAs(
  token: string,
  options?: Parameters<typeof GatewayClient.connect>[2],
  url = rain.url,
) {
  const client = await GatewayClient.connect(url, token, options);
  clients.push(client);
  return client;
}

export const player = (user: string, url = rain.url) => connectAs(rain.tokenOf(user), {}, url);
