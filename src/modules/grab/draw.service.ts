import { Injectable } from '@nestjs/common';
import { Standings } from '../../../libs/redis-scripts';
import { DrawCalls } from './draw-calls';
import { type Drawn, PartDraws } from './part-draws';

const REMEMBERED_MAX = 10_000;

/**
 * Draws from activities, whether they are dealt over parts or not. Redis says so at the first tap, and this process remembers it: of an
 * activity it never changes. What is remembered of one that Redis does not know may be of another of the same id.
 */
@Injectable()
export class DrawService {
  private readonly parts = new Map<string, number>();

  constructor(
    private readonly calls: DrawCalls,
    private readonly partDraws: PartDraws,
    private readonly standings: Standings,
  ) {}

  async draw(activityId: string, userId: string): Promise<Drawn> {
    const parts = this.parts.get(activityId);
    if (parts === undefined) return this.drawAnew(activityId, userId);
    const drawn = await this.partDraws.draw(activityId, userId, parts);
    return drawn.kind === 'not-loaded' ? this.drawAnew(activityId, userId, parts) : drawn;
  }

  /** As far as this process has heard. */
  partsOf(activityId: string): number {
    return this.parts.get(activityId) ?? 1;
  }

  /** The number of the last packet that Redis has heard of, in all parts. */
  async lastLoaded(activityId: string): Promise<number> {
    const parts = this.partsOf(activityId);
    return (await this.standings.whole({ id: activityId, parts })).packetCursor;
  }

  /** Not knowing over how many it is dealt, unless it was so many, which could not be drawn from. */
  private async drawAnew(activityId: string, userId: string, before?: number): Promise<Drawn> {
    const drawn = await this.calls.draw(activityId, userId);
    if (drawn.kind !== 'parts') {
      this.parts.delete(activityId);
      return drawn;
    }
    this.remember(activityId, drawn.parts);
    return drawn.parts === before
      ? { kind: 'not-loaded' }
      : this.partDraws.draw(activityId, userId, drawn.parts);
  }

  private remember(activityId: string, parts: number): void {
    this.parts.set(activityId, parts);
    if (this.parts.size > REMEMBERED_MAX) this.parts.delete(this.parts.keys().next().value!);
  }
}
