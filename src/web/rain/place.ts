/** The page is at `/rain/{activityId}`, below whatever path another server puts it. */
export const activityId = decodeURIComponent(location.pathname.replace(/\/$/, '').split('/').at(-1)!);

/** The name under which the tab keeps its player's session. */
export const KEPT_AS = 'hongbao.player';
