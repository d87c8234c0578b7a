export { AlertBoard } from './alert-board';
export { answersOf } from './answers';
export { type ConfirmedClaim, type PlacedClaim, sentFrom, shareOf } from './confirmed-claim';
export { type Correction, CorrectionLog } from './correction-log';
export { activityTopic, eventKeys, EVERYBODY, userTopic } from './event-keys';
export { type InboxEntry, Inboxes, type OpenInboxes, type Position } from './inboxes';
export { aboutDraw, isHeldSince, type JournalRecord, type Reservation } from './journal-entry';
export { keySlot, SLOT_COUNT } from './key-slot';
export { LatestCalls } from './latest-calls';
export { Lease } from './lease';
export { type Message, MessageStream, type Received } from './message-stream';
export { ForeignRedis, OwnRedis } from './own-redis';
export type { HeldPacket, Packet } from './packet';
export { type CloseWhen, type Ending, NewerActivity, RainClosing } from './rain-closing';
export { RainContents } from './rain-contents';
export { type PacedBatch } from './plan-text';
export { type PacketPage, RainLoading, type Window } from './rain-loading';
export { isCluster, type RedisClient } from './redis-client';
export { choosePartCount, homeAmong, homeOf, PACKETS_PER_PART_MIN, PARTS_MAX, spread } from './rain-parts';
export { RecentRefusals, REFUSALS_KEPT_SECONDS } from './recent-refusals';
export { type Dealt, KEY_PREFIX, limitKey, type Place, RedisKeys } from './redis-keys';
export {
  type DrawOutcome,
  type PartAnswer,
  type PartDraw,
  type PartOutcome,
  type Release,
  Reservations,
} from './reservations';
export { scriptTexts } from './script';
export { Servers } from './servers';
export { type JournalStanding, type QuarantinedEntry, ShardJournals } from './shard-journals';
export { type NotesReply, type PostgresMark, type ShardNotes, ShardTrust } from './shard-trust';
export { STATE_FORMAT_MAX } from './state-format';
export { type DispenserStatus, isSoldOut, type Standing, Standings } from './standings';
export { TapTallies } from './tap-tallies';
export { Tickets } from './tickets';
export { type JoinOutcome, WaitingLists, type WaitingPlace, type WaitingUser } from './waiting-lists';
