import { Injectable, Logger } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { proofChecks } from './proof';
import { ProofRepository } from './proof.repository';

const LOOK_EVERY_MS = 10_000;
const PROVEN_AT_ONCE_MAX = 20;

/** The most packets of one run: adding up takes a second. */
const PACKETS_AT_ONCE_MAX = 100_000;

/**
 * Proves a few activities at a time, all of them again and again, so that an imbalance raises an
 * alarm before a user asks. One activity is one statement; one with more packets than a run allows
 * is left to `npm run verify`, which is the thorough check.
 */
@Injectable()
export class ProofWatch {
  private readonly logger = new Logger('ProofWatch');
  private readonly proofs;
  private readonly unbalanced;
  private readonly broken = new Set<string>();
  private provenTo = '0';

  constructor(
    private readonly repository: ProofRepository,
    metrics: Metrics,
  ) {
    this.proofs = metrics.counters({
      name: 'hongbao_proofs_total',
      help: 'Activities that this process has proven, by the verdict; each is proven again and again until it is sealed',
      label: 'verdict',
      values: ['balanced', 'broken'],
    });
    this.unbalanced = metrics.gauge({
      name: 'hongbao_activities_unbalanced',
      help: 'Activities whose last proof by this process was broken: the books do not agree',
    });
  }

  @Repeats('ProofWatch', LOOK_EVERY_MS)
  async proveNextPage(stopping?: AbortSignal): Promise<void> {
    let packets = 0;
    for (const { id, packetCount } of await this.nextPage()) {
      packets += packetCount;
      if (stopping?.aborted || packets > PACKETS_AT_ONCE_MAX) return;
      await this.prove(id);
      this.provenTo = id;
    }
  }

  /** Begins again after the last one. */
  private async nextPage(): Promise<{ id: string; packetCount: number }[]> {
    const unsealed = (after: string) =>
      this.repository.unsealed(after, PACKETS_AT_ONCE_MAX, PROVEN_AT_ONCE_MAX);
    const page = await unsealed(this.provenTo);
    return page.length > 0 ? page : unsealed('0');
  }

  private async prove(id: string): Promise<void> {
    const sums = await this.repository.sums(id);
    const failed = sums ? proofChecks(sums).filter((check) => !check.holds) : [];
    if (failed.length === 0) this.broken.delete(id);
    else if (!this.broken.has(id))
      this.report(
        id,
        failed.map(({ name }) => name),
      );
    this.proofs[failed.length === 0 ? 'balanced' : 'broken'].inc();
    this.unbalanced.set(this.broken.size);
  }

  private report(id: string, checks: readonly string[]): void {
    this.broken.add(id);
    this.logger.error(`Activity ${id} is not balanced: ${checks.join('; ')}`);
  }
}
