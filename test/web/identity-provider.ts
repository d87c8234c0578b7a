import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT_ID = 'hongbao-console';
export const AUDIENCE = 'https://rain.example';

/** An OpenID provider that signs every visitor in as one person, and checks the challenge. Like some services, it
 * signs tokens for an API only if it is asked for its audience. */
export class IdentityProvider {
  private readonly server: Server;
  /** The token that it signs visitors in with. */
  token = '';
  private challenge = '';
  readonly refusals: string[] = [];

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    provider.server.listen(0, '127.0.0.1');
    await once(provider.server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.issuer);
    response.setHeader('access-control-allow-origin', '*');
    if (pathname === '/authorize') return this.authorize(searchParams, response);
    if (pathname === '/token') return this.exchange(await bodyOf(request), response);
    const endpoints = {
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
    };
    response.end(JSON.stringify(endpoints));
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    this.challenge = query.get('code_challenge')!;
    const back = new URLSearchParams({ code: 'the-code', state: query.get('state')! });
    const isKnown =
      query.get('client_id') === CLIENT_ID &&
      query.get('audience') === AUDIENCE &&
      query.get('code_challenge_method') === 'S256';
    if (!isKnown) this.refusals.push(query.toString());
    response.writeHead(302, { location: `${query.get('redirect_uri')}?${back.toString()}` }).end();
  }

  private exchange(body: URLSearchParams, response: ServerResponse): void {
    const hash = createHash('sha256').update(body.get('code_verifier')!).digest('base64url');
    const isRight =
      hash === this.challenge && body.get('code') === 'the-code' && body.get('client_id') === CLIENT_ID;
    if (!isRight) this.refusals.push(body.toString());
    response.writeHead(isRight ? 200 : 400).end(JSON.stringify({ access_token: this.token }));
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
