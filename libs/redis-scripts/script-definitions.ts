import type { ScriptDefinition } from './script';

export const grab: ScriptDefinition = {
  name: 'grab',
  keys: 'journal (gate state packets claims)*',
  args: '(activityId userCount userId*)*',
  returns: 'journalEntryId (won held rest)*',
};

export const acknowledge: ScriptDefinition = {
  name: 'acknowledge',
  keys: 'journal claims*',
  args: 'entryCount entryId* (claimCount (userId packet)*)*',
  returns: 'marked',
};

export const release: ScriptDefinition = {
  name: 'release',
  keys: 'state gate packets claims waitlist waiting',
  args: 'activityId userId packet fate rightfulUserId rightfulPacket waitsSince',
  returns: 'released',
};

export const loadBegin: ScriptDefinition = {
  name: 'load-begin',
  keys: 'state gate packets claims waitlist',
  args: 'opensAt closesAt',
  returns: 'status packetCursor',
};

export const loadPackets: ScriptDefinition = {
  name: 'load-packets',
  keys: 'state packets',
  args: 'cursorBefore cursorAfter packetText',
  returns: 'packetCursor',
};

export const extend: ScriptDefinition = {
  name: 'extend',
  keys: 'state packets',
  args: 'cursorBefore cursorAfter packetText',
  returns: 'packetCursor',
};

export const open: ScriptDefinition = {
  name: 'open',
  keys: 'state packets',
  args: 'packetCursor',
  returns: 'status',
};

export const close: ScriptDefinition = {
  name: 'close',
  keys: 'state gate',
  args: 'when opensAt closesAt',
  returns: 'ending',
};

export const tidyUp: ScriptDefinition = {
  name: 'tidy-up',
  keys: 'state packets claims',
  args: 'claimCount',
  returns: 'status',
};

export const joinWaitlist: ScriptDefinition = {
  name: 'join-waitlist',
  keys: 'state gate packets claims waitlist waiting',
  args: 'activityId userId',
  returns: 'outcome position length',
};

export const assignWaitlist: ScriptDefinition = {
  name: 'assign-waitlist',
  keys: 'journal state packets claims waitlist waiting',
  args: 'activityId countMax',
  returns: 'journalEntryId about assigned',
};
