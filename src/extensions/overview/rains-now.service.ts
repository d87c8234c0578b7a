import { Injectable } from '@nestjs/common';
import { ActivityRepository, ActivityViews, type ActivityDto } from '../../core/activity';
import type { RainsNowDto } from './rains-now.dto';
import { RainsNowRepository } from './rains-now.repository';

const RUNNING_MAX = 100;
const NEXT_MAX = 10;

/** The engines are asked once in this time, however many people watch. */
const KEPT_MS = 1_000;

@Injectable()
export class RainsNowService {
  private last?: { readonly atMs: number; readonly rains: Promise<RainsNowDto> };

  constructor(
    private readonly repository: RainsNowRepository,
    private readonly activities: ActivityRepository,
    private readonly views: ActivityViews,
  ) {}

  read(): Promise<RainsNowDto> {
    const nowMs = performance.now();
    if (!this.last || nowMs - this.last.atMs >= KEPT_MS) this.last = { atMs: nowMs, rains: this.readRains() };
    return this.last.rains;
  }

  private async readRains(): Promise<RainsNowDto> {
    const { at, runningIds, runningCount, nextIds } = await this.repository.findRains(RUNNING_MAX, NEXT_MAX);
    const ids = [...runningIds, ...nextIds];
    const views = await this.views.many(await this.activities.list({ ids }, undefined, ids.length));
    const byId = new Map(views.map((view) => [view.id, view]));
    const viewsOf = (some: readonly string[]): ActivityDto[] => some.flatMap((id) => byId.get(id) ?? []);
    return { at: at.toISOString(), running: viewsOf(runningIds), runningCount, next: viewsOf(nextIds) };
  }
}
