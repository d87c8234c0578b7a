import { createHmac } from 'node:crypto';

const LABEL = 'hongbao.pseudonym.v1\0';
const PSEUDONYM_BYTES = 16;

/** Fields whose value names a person, and those whose value names the owner of a wallet. */
const PEOPLE = new Set(['userId', 'actorId', 'via']);
const WALLET = /^wallet:(.*)$/s;

/**
 * Stands between the ids of people and what is written: only who has the key can tell whose pseudonym one is.
 * The sponsor, who answers for the activity, keeps its name.
 */
export class Pseudonyms {
  private readonly known = new Set<string>();

  constructor(
    private readonly key: Buffer,
    private readonly sponsorId: string,
  ) {}

  of(id: string): string {
    if (id === this.sponsorId) return id;
    this.known.add(id);
    return createHmac('sha256', this.key)
      .update(LABEL)
      .update(id)
      .digest()
      .subarray(0, PSEUDONYM_BYTES)
      .toString('hex');
  }

  /** Returns JSON without ids: those in fields that name people, and those met before, wherever they stand. */
  in(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.in(one, field));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.in(inner, name)]));
    if (typeof value !== 'string') return value;
    if (PEOPLE.has(field) || this.known.has(value)) return this.of(value);
    const [, owner] = WALLET.exec(value) ?? [];
    return owner === undefined ? value : `wallet:${this.of(owner)}`;
  }
}
