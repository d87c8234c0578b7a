import type { Command } from './command';
import { PAGE_OPTIONS } from './options';
import { request } from './request';

const EVENTS = [
  ...['packet.confirmed', 'wallet.credited', 'waitlist.assigned'],
  ...['activity.opened', 'activity.sold-out', 'activity.closed', 'activity.extended'],
  ...['payout.paid', 'payout.refused', 'payout.needs-user', 'payout.returned'],
  'packet.thanked',
];

export const webhookCommands: readonly Command[] = [
  request('listWebhooks', {
    call: 'webhooks list',
    help: 'who is notified of what',
    columns: ['id', 'url', 'events', 'description', 'createdAt'],
  }),
  request('createWebhook', {
    call: 'webhooks create',
    help: 'notify a URL of events; its secret is shown once',
    options: {
      to: { value: '<url>', help: 'an https URL at a public address', field: 'url', required: true },
      event: {
        value: '<event>',
        help: 'only this event; all unless given',
        field: 'events',
        multiple: true,
        choices: EVENTS,
      },
      description: { value: '<text>', help: 'what it is for' },
    },
  }),
  request('changeWebhook', {
    call: 'webhooks change <id>',
    help: 'notify it of other events, or change its description',
    options: {
      event: {
        value: '<event>',
        help: 'only this event from now on',
        field: 'events',
        multiple: true,
        choices: EVENTS,
      },
      description: { value: '<text>', help: 'what it is for; none removes it', canBeNone: true },
    },
  }),
  request('testWebhook', {
    call: 'webhooks test <id>',
    help: 'send a test message; webhooks deliveries shows what became of it',
  }),
  request('listWebhookDeliveries', {
    call: 'webhooks deliveries <id>',
    help: 'its latest messages, and why some have failed',
    columns: ['messageId', 'event', 'state', 'attempts', 'lastError', 'at'],
  }),
  request('readWebhookMessage', {
    call: 'webhooks message <id> <message>',
    help: 'what was sent to it, and what became of each attempt',
  }),
  request('listWebhookDeadLetters', {
    call: 'webhooks dead-letters <id>',
    help: 'messages that it never accepted, newest first',
    options: PAGE_OPTIONS,
    columns: ['id', 'messageId', 'event', 'attempts', 'lastError', 'updatedAt'],
  }),
  request('replayWebhookDeadLetters', {
    call: 'webhooks replay <id>',
    help: 'deliver those again, at most 1000 at a time',
    options: {
      letter: { value: '<id>', help: 'only this one; all unless given', field: 'ids', multiple: true },
    },
  }),
  request('deleteWebhook', {
    call: 'webhooks delete <id>',
    help: 'deliver nothing more, not even messages that wait',
    asks: 'Delete webhook <id>, and the messages that wait for it?',
  }),
];
