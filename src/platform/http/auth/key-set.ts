import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { reasonOf } from '../../../../libs/connection-faults';
import { type AppConfig, fitsAlgorithm } from '../../config';
import { keysUnavailable } from '../problems/http.error';
import { quoted, Refusal } from '../problems/refusals';

export type KeySetAlgorithm = AppConfig['JWT_JWKS_ALGORITHM'];

/** The set is fetched at most this often, however many tokens name unknown keys. */
const COOLDOWN_MS = 30_000;
/** A key that its owner has withdrawn is accepted no longer than this. */
const AGE_MAX_MS = 300_000;
const TIMEOUT_MS = 3_000;
/** The pause after a fetch that failed. */
const RETRY_MS = 5_000;

interface PublishedKey extends JsonWebKey {
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly key_ops?: readonly string[];
}

interface Failure {
  readonly cause: unknown;
  readonly untilMs: number;
}

/**
 * The public keys of an identity provider, each with its verifier. A set that cannot be fetched stays in use
 * while it is fresh, so that an invented key cannot lock users out.
 *
 * `get-jwks` was rejected: it fetches the set for every unknown key, follows redirects, and does not know
 * EdDSA.
 */
export class KeySet<Verify> {
  private keys: readonly { readonly kid?: string; readonly verify: Verify }[] = [];
  private fetchedAtMs = -Infinity;
  private fetching?: Promise<void>;
  private failure?: Failure;

  constructor(
    private readonly url: URL,
    private readonly algorithm: KeySetAlgorithm,
    private readonly verifierOf: (pem: string) => Verify,
  ) {}

  /**
   * Finds the key that a token names, or the only key when it names none.
   *
   * @throws (or rejects with) the problem `auth.keys_unavailable`
   */
  find(kid: unknown): Verify | undefined | Promise<Verify | undefined> {
    const known = this.known(kid);
    if (this.isYoungerThan(known ? AGE_MAX_MS : COOLDOWN_MS)) return known;
    if (this.failure && performance.now() < this.failure.untilMs) {
      if (this.isYoungerThan(AGE_MAX_MS)) return known;
      throw unavailable(this.failure.cause);
    }
    this.fetching ??= this.fetch().finally(() => (this.fetching = undefined));
    return this.fetching.then(() => this.known(kid));
  }

  /** The ids of its usable keys, for a log. */
  get names(): string {
    const { keys } = this;
    return keys.length === 0
      ? `no keys of ${this.algorithm}`
      : quoted(keys.map(({ kid }) => kid ?? 'unnamed'));
  }

  private known(kid: unknown): Verify | undefined {
    const named = this.keys.filter((key) => kid === undefined || key.kid === kid);
    return named.length === 1 ? named[0]!.verify : undefined;
  }

  /** By a clock that does not step: a step back would keep a withdrawn key, or a failure, for longer. */
  private isYoungerThan(ms: number): boolean {
    return performance.now() < this.fetchedAtMs + ms;
  }

  private async fetch(): Promise<void> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(this.url, { redirect: 'error', signal });
      if (response.status !== 200) throw new Error(`the answer was ${response.status}`);
      const { keys } = (await response.json()) as { readonly keys: readonly PublishedKey[] };
      this.keys = keys.flatMap((key) => this.usable(key));
      this.fetchedAtMs = performance.now();
    } catch (cause) {
      this.failure = { cause: this.refusal(cause), untilMs: performance.now() + RETRY_MS };
      throw unavailable(this.failure.cause);
    }
  }

  private refusal(cause: unknown): Refusal {
    const { host, pathname } = this.url;
    const why = reasonOf(cause);
    return new Refusal('keys-unavailable', `the key set of ${host}${pathname} cannot be fetched: ${why}.`, {
      cause,
    });
  }

  /** Empty unless it is a public key for signatures of this algorithm. */
  private usable(key: PublishedKey) {
    const { kid, alg = this.algorithm, use = 'sig', key_ops: uses = ['verify'] } = key;
    if (alg !== this.algorithm || use !== 'sig' || !uses.includes('verify') || 'd' in key) return [];
    const pem = pemOf(key);
    const fits = pem && fitsAlgorithm(pem, alg);
    return fits ? [{ kid, verify: this.verifierOf(pem) }] : [];
  }
}

function pemOf(key: PublishedKey): string | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }) as string;
  } catch {
    return undefined;
  }
}

const unavailable = (cause: unknown) =>
  keysUnavailable('Tokens cannot be verified at the moment.', { retryAfterSeconds: 5, cause });
