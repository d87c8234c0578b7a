import type { Schema } from '../../../libs/client';

/** The page of a rain asks the console around it, which answers with an activity as it would look. */
export const PREVIEW_WANTED = 'hongbao.preview-wanted';
export const PREVIEW = 'hongbao.preview';

export const PREVIEW_FRAGMENT = '#preview';

/** Moments of a rain that can be previewed. */
export const MOMENTS = ['scheduled', 'open', 'won'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface Preview {
  readonly type: typeof PREVIEW;
  readonly activity: Schema<'ActivityDto'>;
  readonly moment: Moment;
}
