import type { ScriptDefinition } from './script-header';

export const takeMessages: ScriptDefinition = {
  name: 'take-messages',
  keys: 'done mark*',
  args: 'taker leaseMs messageId*',
  returns: 'mark*',
};

export const finishMessages: ScriptDefinition = {
  name: 'finish-messages',
  keys: 'messages done mark*',
  args: 'keptMs keptMax (entryId messageId)*',
  returns: 'removed',
};

export const openInboxes: ScriptDefinition = {
  name: 'open-inboxes',
  keys: 'lastId listening lostUpTo open opened inbox*',
  args: 'keptMs openMax openedMax (topic mayOpen)*',
  returns: 'position lostUpTo oldest*',
};

export const tellLoss: ScriptDefinition = {
  name: 'tell-loss',
  keys: 'lastId lostUpTo',
  args: 'publish wakeChannel everybody keptMs',
  returns: 'position',
};

export const appendEvents: ScriptDefinition = {
  name: 'append-events',
  keys: 'lastId inbox*',
  args: 'publish wakeChannel keptCount (topic event)*',
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
