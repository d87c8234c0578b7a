import type { Extension } from '../extension';
import { preflight } from '../preflight/extension';
import { SeriesApiModule } from './series.module';

export const series: Extension = {
  needs: [preflight],
  api: SeriesApiModule,
  schema: {
    grants: {
      series:
        'select, insert, update (sponsor_id, terms, rrule, time_zone, start, duration_seconds, create_ahead_hours, ' +
        'count, until, status, actor_id, actor_role, decided, next_opens_at, look_at, refusal, refusal_detail)',
      series_occurrence: 'select, insert',
    },
    people: { series: ['sponsor_id', 'actor_id', 'terms (json)'] },
    underWay: `select 'series' as what, id::text as id from series
      where $1 in (sponsor_id, actor_id) and status <> 'ended'`,
  },
};
