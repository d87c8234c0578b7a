import type { ScriptDefinition } from './script-header';

export const grab: ScriptDefinition = {
  name: 'grab',
  keys: 'journal (gate state packets claims waitlist)*',
  args: '(activityId userCount userId*)* owner',
  returns: 'lines: journalEntryId (won held rest)*',
};

export const acknowledge: ScriptDefinition = {
  name: 'acknowledge',
  keys: 'journal (claims waitlist)*',
  args: 'entryCount entryId* (claimCount (userId packet)*)*',
  returns: 'marked',
};

export const release: ScriptDefinition = {
  name: 'release',
  keys: 'gate packets claims waitlist waiting',
  args: 'activityId userId packet fate rightfulUserId rightfulPacket waitsSince',
  returns: 'released',
};

export const loadBegin: ScriptDefinition = {
  name: 'load-begin',
  keys: 'state gate packets claims waitlist',
  args: 'opensAt closesAt birth',
  returns: 'status packetCursor',
};

export const appendPackets: ScriptDefinition = {
  name: 'append-packets',
  keys: 'state packets',
  args: 'status cursorBefore cursorAfter packetText',
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
  keys: 'state gate packets claims',
  args: 'ending when opensAt closesAt birth',
  returns: 'ending',
};

export const discardPackets: ScriptDefinition = {
  name: 'discard-packets',
  keys: 'state gate packets',
  args: 'none',
  returns: 'status',
};

export const tidyUp: ScriptDefinition = {
  name: 'tidy-up',
  keys: 'state claims',
  args: 'claimCount',
  returns: 'status',
};

export const joinWaitlist: ScriptDefinition = {
  name: 'join-waitlist',
  keys: 'state gate packets claims waitlist waiting',
  args: 'activityId userId lengthMax',
  returns: 'outcome position length',
};

export const assignWaitlist: ScriptDefinition = {
  name: 'assign-waitlist',
  keys: 'journal state packets claims waitlist waiting',
  args: 'activityId countMax',
  returns: 'journalEntryId about assigned',
};

export const quarantine: ScriptDefinition = {
  name: 'quarantine',
  keys: 'journal quarantine',
  args: 'flaw entryId',
  returns: 'moved',
};

export const raiseMark: ScriptDefinition = {
  name: 'raise-mark',
  keys: 'history',
  args: 'id flushed',
  returns: 'raised',
};

export const loadClaims: ScriptDefinition = {
  name: 'load-claims',
  keys: 'claims waitlist',
  args: '(userId packet)*',
  returns: 'added',
};

export const erase: ScriptDefinition = {
  name: 'erase',
  keys: 'waiting key*',
  args: 'activityId*',
  returns: 'erased',
};

export const standing: ScriptDefinition = {
  name: 'standing',
  keys: 'installation state packets claims',
  args: 'field*',
  returns: 'whose fields packetsLeft held',
};
