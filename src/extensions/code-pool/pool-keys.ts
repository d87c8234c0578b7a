import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../platform/config';
import { CodePoolRepository, type CodePoolRow } from './code-pool.repository';
import { sealKeyMissing } from './code-pool.error';
import { PoolKey, WrappingKey } from './code-seal';

/** Operators write this for a pool whose key is lost: an API with another key then starts, and shows none of its codes. */
const isLost = ({ wrappedKey }: Wrapped): boolean => wrappedKey.length === 0;

type Wrapped = Pick<CodePoolRow, 'id' | 'wrappedKey'>;

/**
 * The keys of pools, unwrapped by `CODE_SEAL_KEY` or the previous key. When a program starts, it rewraps the keys
 * of pools that were wrapped by the previous key, which is therefore needed for one start.
 */
@Injectable()
export class PoolKeys implements OnModuleInit {
  private readonly logger = new Logger('PoolKeys');
  private readonly keys = new Map<string, PoolKey>();
  private readonly wrapping?: WrappingKey;
  private readonly previous?: WrappingKey;

  constructor(
    private readonly pools: CodePoolRepository,
    { CODE_SEAL_KEY: key, CODE_SEAL_KEY_PREVIOUS: previous }: AppConfig,
  ) {
    this.wrapping = wrappingKey(key);
    this.previous = wrappingKey(previous);
  }

  /** @throws Error with one line if a pool was sealed by another key */
  async onModuleInit(): Promise<void> {
    const pools = (await this.pools.all()).filter((pool) => !isLost(pool));
    if (this.wrapping) {
      for (const pool of pools) if (!(await this.unwrap(this.wrapping, pool))) throw new Error(foreign(pool));
    } else if (pools.length > 0)
      this.logger.warn('CODE_SEAL_KEY is not set, so no code of a pool can be shown or uploaded.');
  }

  /** @throws sealKeyMissing */
  require(): WrappingKey {
    if (this.wrapping) return this.wrapping;
    throw sealKeyMissing('CODE_SEAL_KEY is not set here. The operators of this installation have to set it.');
  }

  /** @throws sealKeyMissing */
  async of(pool: Wrapped): Promise<PoolKey> {
    if (isLost(pool)) throw sealKeyMissing(`The key of pool ${pool.id} is lost. Use another pool.`);
    const key = this.keys.get(pool.id) ?? (await this.unwrap(this.require(), pool));
    if (key) return key;
    throw sealKeyMissing(
      `${foreign(pool)} Try again; if that does not help, restart this program with that key.`,
    );
  }

  /** Undefined if neither key has wrapped it. */
  private async unwrap(wrapping: WrappingKey, { id, wrappedKey }: Wrapped): Promise<PoolKey | undefined> {
    const own = wrapping.unwrap(id, wrappedKey);
    const secret = own ?? this.previous?.unwrap(id, wrappedKey);
    if (!secret) return undefined;
    if (!own) await this.pools.rewrap(id, wrappedKey, wrapping.wrap(id, secret));
    const key = new PoolKey(id, secret);
    this.keys.set(id, key);
    return key;
  }
}

const foreign = ({ id }: Wrapped): string => `CODE_SEAL_KEY is not the one that sealed pool ${id}.`;

const wrappingKey = (text: string | undefined): WrappingKey | undefined =>
  text === undefined ? undefined : new WrappingKey(Buffer.from(text, 'base64'));
