import { defineProblem } from '../../../libs/problem';

export const webhookNotFound = defineProblem({
  code: 'webhook.not_found',
  status: 404,
  title: 'Webhook not found',
});

export const unknownWebhook = (id: string): Error => webhookNotFound(`There is no webhook ${id}.`);

export const messageNotFound = defineProblem({
  code: 'webhook.message_not_found',
  status: 404,
  title: 'Message not found',
});

export const webhookQueueAway = defineProblem({
  code: 'webhook.queue_unavailable',
  status: 503,
  title: 'The queue of the webhook cannot be reached right now',
});

export const tooManyWebhooks = defineProblem({
  code: 'webhook.too_many',
  status: 409,
  title: 'Too many webhooks',
});
