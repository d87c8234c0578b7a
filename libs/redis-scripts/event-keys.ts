import { createHash } from 'node:crypto';
import { KEY_PREFIX } from './redis-keys';

const STEM = `${KEY_PREFIX}:{events}`;
const HASH_LENGTH = 32;

/**
 * Every Redis key of messages and events. They share one slot, because a client's position has to
 * mean the same in all of its inboxes; few events are on their way at any time.
 */
export const eventKeys = {
  messages: `${STEM}:messages`,
  lastId: `${STEM}:lastId`,
  listening: `${STEM}:listening`,
  lostUpTo: `${STEM}:lostUpTo`,
  open: `${STEM}:open`,
  opened: (topic: string) => `${STEM}:opened:${topic}`,
  done: `${STEM}:done`,
  /** A channel, not a key. */
  wake: `${STEM}:wake`,
  mark: (messageId: string) => `${STEM}:mark:${messageId}`,
  inbox: (topic: string) => `${STEM}:inbox:${topic}`,
  /** Tickets and holders are hashed: a process that reads the keys must not be able to use one. */
  ticket: (ticket: string) => `${STEM}:ticket:${hashOf(ticket)}`,
  ticketCount: (holder: string) => `${STEM}:tickets:${hashOf(holder)}`,
};

/** A wake-up for all listeners: they may have missed something. No topic has this name. */
export const EVERYBODY = '*';

/** The id is hashed, because nothing that a client chooses is ever part of a key. */
export function userTopic(userId: string): string {
  return `user:${hashOf(userId)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

export const activityTopic = (activityId: string): string => `activity:${activityId}`;
