import { defineProblem } from '../../../libs/problem';

export const activityNotFound = defineProblem({
  code: 'activity.not_found',
  status: 404,
  title: 'Activity not found',
});

/** Also the answer to callers who may not know whether the activity exists. */
export const noSuchActivity = (id: string): Error => activityNotFound(`There is no activity ${id}.`);

export const logoNotFound = defineProblem({
  code: 'activity.logo_not_found',
  status: 404,
  title: 'The activity has no logo',
});

export const activityLoading = defineProblem({
  code: 'activity.loading',
  status: 503,
  title: 'The activity is being loaded',
});

/** This program does not know a term that restricts who wins, and must not let everyone in. */
export const activityNewer = defineProblem({
  code: 'activity.newer',
  status: 503,
  title: 'The activity needs a newer version of this program',
});

/** During a deployment programs of both versions run, so the next try may reach the other one. */
export const refuseNewer = (id: string): Error =>
  activityNewer(
    `This program does not know all terms of activity ${id}. Try again; upgrade it if that does not help.`,
    { retryAfterSeconds: 1 },
  );

export const activityAlreadyOpen = defineProblem({
  code: 'activity.already_open',
  status: 409,
  title: 'The activity can no longer be cancelled',
});

export const activityEnded = defineProblem({
  code: 'activity.ended',
  status: 409,
  title: 'The activity has ended',
});

export const activityNotEnded = defineProblem({
  code: 'activity.not_ended',
  status: 409,
  title: 'The activity has not ended',
});

export const activityArchived = defineProblem({
  code: 'activity.archived',
  status: 410,
  title: 'The packets and claims of the activity were archived',
});

export const rowsArchived = (id: string): Error =>
  activityArchived(`Activity ${id} was over long ago; who had what is in the archive.`);

export const creationUnderWay = defineProblem({
  code: 'activity.creation_under_way',
  status: 409,
  title: 'Many packets of this sponsor are being written',
});

export const tooManyActivities = defineProblem({
  code: 'activity.too_many',
  status: 409,
  title: 'The sponsor has too many activities',
});

export const tooManyPackets = defineProblem({
  code: 'activity.too_many_packets',
  status: 429,
  title: 'The sponsor has created too many packets',
});

export const closeUnavailable = defineProblem({
  code: 'activity.close_unavailable',
  status: 503,
  title: 'The activity cannot be closed right now',
});
