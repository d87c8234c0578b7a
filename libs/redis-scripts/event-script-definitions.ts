import type { ScriptDefinition } from './script';

export const takeMessages: ScriptDefinition = {
  name: 'take-messages',
  keys: 'mark*',
  args: 'taker leaseMs',
  returns: 'mark*',
};

export const finishMessages: ScriptDefinition = {
  name: 'finish-messages',
  keys: 'messages mark*',
  args: 'keptMs entryId*',
  returns: 'removed',
};

export const openInboxes: ScriptDefinition = {
  name: 'open-inboxes',
  keys: 'lastId listening inbox*',
  args: 'keptMs',
  returns: 'position oldest*',
};

export const appendEvents: ScriptDefinition = {
  name: 'append-events',
  keys: 'lastId inbox*',
  args: 'wakeChannel keptCount (topic event)*',
  returns: 'appended',
};

export const readInboxes: ScriptDefinition = {
  name: 'read-inboxes',
  keys: 'inbox*',
  args: 'position countMax',
  returns: '(entries)*',
};

export const holdLease: ScriptDefinition = {
  name: 'hold-lease',
  keys: 'lease',
  args: 'holder leaseMs',
  returns: 'held',
};
