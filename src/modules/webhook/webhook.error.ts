import { defineProblem } from '../../../libs/problem';

export const webhookNotFound = defineProblem({
  code: 'webhook.not_found',
  status: 404,
  title: 'Webhook not found',
});

export const tooManyWebhooks = defineProblem({
  code: 'webhook.too_many',
  status: 409,
  title: 'Too many webhooks',
});
