import { PREVIEW_FRAGMENT } from '../kit/preview';

/** The page is at `/rain/{activityId}`, below any path that another server adds. */
export const activityId = decodeURIComponent(location.pathname.replace(/\/$/, '').split('/').at(-1)!);

/** Other names are those of no rain, so the API is not asked for them. */
export const mayBeRain = /^[1-9]\d{0,18}$/.test(activityId);

/** The name under which the tab keeps its player's session. */
export const KEPT_AS = 'hongbao.player';

/** An app shows the page in a frame, from which no link leads anywhere. */
export const isInFrame = parent !== globalThis.window;

/** The console shows the page in a frame, with a look that may not be kept yet. */
export const isPreview = isInFrame && location.hash === PREVIEW_FRAGMENT;
