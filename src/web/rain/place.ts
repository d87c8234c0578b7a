/** The page is at `/rain/{activityId}`, below any path that another server adds. */
export const activityId = decodeURIComponent(location.pathname.replace(/\/$/, '').split('/').at(-1)!);

/** The name under which the tab keeps its player's session. */
export const KEPT_AS = 'hongbao.player';
