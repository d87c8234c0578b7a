import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Role, rolesWith } from '../../libs/roles';
import { bearerToken, type Caller, forbidden, type TokenVerifier, unauthenticated } from '../platform/http';

const COOKIE = 'hongbao_queues';
const VALID_SECONDS = 3_600;
const STAFF: readonly Role[] = rolesWith('inspect');

/**
 * Signs staff in to pages of other tools, which cannot send a token, by a cookie with the token
 * itself. Scripts cannot read it, and no other site's request carries it.
 */
export class CookieSignIn {
  constructor(
    private readonly tokens: Pick<TokenVerifier, 'verify'>,
    private readonly path: string,
  ) {}

  /** @throws unauthenticated, forbidden */
  async begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = bearerToken(request.headers);
    await this.requireStaff(token);
    const secure = request.protocol === 'https' ? '; Secure' : '';
    const bounds = `Path=${this.path}; Max-Age=${VALID_SECONDS}; HttpOnly; SameSite=Strict${secure}`;
    await reply.code(204).header('set-cookie', `${COOKIE}=${token}; ${bounds}`).send();
  }

  /** @throws unauthenticated, forbidden */
  async require({ headers }: FastifyRequest): Promise<void> {
    const cookies = headers.cookie?.split('; ') ?? [];
    const ours = cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`));
    await this.requireStaff(ours?.slice(COOKIE.length + 1));
  }

  private async requireStaff(token: string | undefined): Promise<Caller> {
    if (token === undefined) throw unauthenticated('Sign in at the console, and open the queues from there.');
    const caller = await this.tokens.verify(token);
    if (!STAFF.includes(caller.role)) throw forbidden(`This page is open to: ${STAFF.join(', ')}.`);
    return caller;
  }
}
