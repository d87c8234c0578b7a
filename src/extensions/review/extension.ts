import type { Extension } from '../extension';
import { approval } from '../approval/extension';
import { payout } from '../payout/extension';
import { ReviewApiModule } from './review.module';

export const review: Extension = { needs: [approval, payout], api: ReviewApiModule };
