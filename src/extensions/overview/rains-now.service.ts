import { Injectable } from '@nestjs/common';
import { isStaff } from '../../../libs/roles';
import { sharedLook } from '../../../libs/shared-look';
import type { Caller } from '../../platform/http';
import { ActivityRepository, ActivityViews, type ActivityDto } from '../../core/activity';
import type { RainsNowDto } from './rains-now.dto';
import { RainsNowRepository } from './rains-now.repository';

const RUNNING_MAX = 100;
const NEXT_MAX = 10;

@Injectable()
export class RainsNowService {
  /** The engines are asked once a second, however many people watch. */
  private readonly readAll = sharedLook(() => this.readRains(true));
  private readonly readListed = sharedLook(() => this.readRains(false));

  constructor(
    private readonly repository: RainsNowRepository,
    private readonly activities: ActivityRepository,
    private readonly views: ActivityViews,
  ) {}

  /** Rehearsals are shown only to staff. */
  read({ role }: Caller): Promise<RainsNowDto> {
    return isStaff(role) ? this.readAll() : this.readListed();
  }

  private async readRains(withPlayMoney: boolean): Promise<RainsNowDto> {
    const { at, runningIds, runningCount, nextIds } = await this.repository.findRains(
      RUNNING_MAX,
      NEXT_MAX,
      withPlayMoney,
    );
    const ids = [...runningIds, ...nextIds];
    const views = await this.views.many(
      await this.activities.list({ ids, withPlayMoney }, undefined, ids.length),
    );
    const byId = new Map(views.map((view) => [view.id, view]));
    const viewsOf = (some: readonly string[]): ActivityDto[] => some.flatMap((id) => byId.get(id) ?? []);
    return { at: at.toISOString(), running: viewsOf(runningIds), runningCount, next: viewsOf(nextIds) };
  }
}
