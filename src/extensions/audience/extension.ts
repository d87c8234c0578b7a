import type { Extension } from '../extension';
import { AudienceApiModule } from './audience.module';
import { describeAudiences } from './audience-terms.dto';

export const audience: Extension = {
  api: AudienceApiModule,
  schema: {
    grants: { activity_audience: 'select, insert, update (share_code, rotated_at)' },
    people: { activity_audience: ['user_ids'] },
  },
  describe: describeAudiences,
};
