import { isInFrame } from '../kit/frame';
import { PREVIEW_FRAGMENT } from '../kit/preview';

/**
 * The page is at `/rain/{activityId}`, below any path that another server adds. The end of the sentence that a link
 * stood in is often copied with it.
 */
export const activityId = decodeURIComponent(location.pathname.replace(/\/$/, '').split('/').at(-1)!).replace(
  /^(\d+)\W+$/,
  '$1',
);

/** Other names are those of no rain, so the API is not asked for them. */
export const mayBeRain = /^[1-9]\d{0,18}$/.test(activityId);

/** The console shows the page in a frame, with a look that may not be kept yet. */
export const isPreview = isInFrame && location.hash === PREVIEW_FRAGMENT;
