/**
 * This file was generated from the API document by `npm run client`.
 * Do not make direct changes to the file.
 */

import type { Options, Query, Schema } from './operations';

/** The operations of the API by name: what its path needs, its query or body, then options. */
export interface Operations {
  /**
   * Deposit money
   *
   * Brings money from the outside world into a wallet. A deposit beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202 and waits for the approval of a second person.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/wallets/{ownerId}/deposits`
   */
  depositMoney(ownerId: string, body: Schema<'DepositBody'>, options?: Options<'key'>): Promise<{ status: 201; body: Schema<'DepositDto'> } | { status: 202; body: Schema<'ApprovalDto'> }>;

  /**
   * Read a wallet
   *
   * An owner without a wallet has the balance 0.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/wallets/{ownerId}`
   */
  readWallet(ownerId: string, options?: Options): Promise<Schema<'WalletDto'>>;

  /**
   * List the ledger lines of a wallet
   *
   * Newest first. With a filter, a page may hold fewer items than `limit`, or none, and still have a `nextCursor`: it has looked at 200 lines.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/wallets/{ownerId}/entries`
   */
  listWalletEntries(ownerId: string, query?: Query<'listWalletEntries'>, options?: Options): Promise<Schema<'EntryPageDto'>>;

  /**
   * Read my wallet
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/wallet`
   */
  readMyWallet(options?: Options<'actFor'>): Promise<Schema<'MyWalletDto'>>;

  /**
   * List the ledger lines of my wallet
   *
   * Newest first. With a filter, a page may hold fewer items than `limit`, or none, and still have a `nextCursor`: it has looked at 200 lines.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/wallet/entries`
   */
  listMyWalletEntries(query?: Query<'listMyWalletEntries'>, options?: Options<'actFor'>): Promise<Schema<'EntryPageDto'>>;

  /**
   * Read the budget of a sponsor
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/wallets/{ownerId}/budget`
   */
  readBudget(ownerId: string, options?: Options): Promise<Schema<'BudgetDto'>>;

  /**
   * Set the budget of a sponsor
   *
   * Creations and top-ups that would bring more than that from this wallet into activities in a UTC day are refused. What was spent today counts, and money that comes back does not make room again.
   *
   * Roles: `operator`.
   *
   * `PATCH /v1/wallets/{ownerId}/budget`
   */
  setBudget(ownerId: string, body: Schema<'SetBudgetBody'>, options?: Options): Promise<Schema<'BudgetDto'>>;

  /**
   * End the budget of a sponsor
   *
   * Roles: `operator`.
   *
   * `DELETE /v1/wallets/{ownerId}/budget`
   */
  deleteBudget(ownerId: string, options?: Options): Promise<undefined>;

  /**
   * Read my budget as a sponsor
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/budget`
   */
  readMyBudget(options?: Options<'actFor'>): Promise<Schema<'BudgetDto'>>;

  /**
   * Freeze a wallet
   *
   * Claims of this user become dead letters instead of being paid. They can be replayed once the wallet is unfrozen.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/wallets/{ownerId}/freeze`
   */
  freezeWallet(ownerId: string, options?: Options<'key'>): Promise<Schema<'WalletDto'>>;

  /**
   * Unfreeze a wallet
   *
   * The dead letters of this user stay open until they are replayed.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/wallets/{ownerId}/unfreeze`
   */
  unfreezeWallet(ownerId: string, options?: Options<'key'>): Promise<Schema<'WalletDto'>>;

  /**
   * Preview a split
   *
   * Shows packets of these terms before any money moves. Random amounts are an example: the activity draws its own, which stay secret until they are won. Terms that cannot be met are refused as they would be at creation.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/split-previews`
   */
  previewSplit(body: Schema<'SplitPreviewBody'>, options?: Options<'actFor'>): Promise<Schema<'SplitPreviewDto'>>;

  /**
   * Create and fund an activity
   *
   * Moves the total from the wallet of the sponsor into escrow, splits it and loads the packets. The activity opens by itself at `opensAt`. Staff may name any sponsor; for users the sponsor is the caller. A creation by staff beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202 and waits for the approval of a second person.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/activities`
   */
  createActivity(body: Schema<'CreateActivityBody'>, options?: Options<'actFor' | 'key'>): Promise<{ status: 201; body: Schema<'ActivityDto'> } | { status: 202; body: Schema<'ApprovalDto'> }>;

  /**
   * List activities
   *
   * Newest first. With `phase` or `name`, a page may hold fewer items than `limit`, or none, and still have a `nextCursor`: the other activities of that page are in other phases, or have other names.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities`
   */
  listActivities(query?: Query<'listActivities'>, options?: Options<'actFor'>): Promise<Schema<'ActivityPageDto'>>;

  /**
   * Check an activity before it opens
   *
   * For the sponsor and staff. `stop`: the rain would fail or pay late. `warn`: it may. Nothing is changed.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/preflight`
   */
  checkPreflight(id: string, options?: Options<'actFor'>): Promise<Schema<'PreflightDto'>>;

  /**
   * Live progress of an activity
   *
   * For the sponsor and staff. The call is cheap enough for once a second. The reconciliation says where the money is.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/progress`
   */
  readActivityProgress(id: string, options?: Options<'actFor'>): Promise<Schema<'ProgressDto'>>;

  /**
   * Top up an activity
   *
   * For the sponsor and staff, until the activity ends. Adds money and packets, paid from the wallet of the sponsor. Users without a packet can grab the new ones at once. A top-up by staff beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202 and waits for the approval of a second person.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/activities/{id}/top-ups`
   */
  topUpActivity(id: string, body: Schema<'TopUpBody'>, options?: Options<'actFor' | 'key'>): Promise<{ status: 201; body: Schema<'TopUpDto'> } | { status: 202; body: Schema<'ApprovalDto'> }>;

  /**
   * Read an activity
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}`
   */
  readActivity(id: string, options?: Options<'actFor'>): Promise<Schema<'ActivityDto'>>;

  /**
   * Change the look of an activity
   *
   * For the sponsor and staff, at any time. Changes the fields that are given. Terms, which are committed to, never change.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `PATCH /v1/activities/{id}`
   */
  changeActivityLook(id: string, body: Schema<'ChangeLookBody'>, options?: Options<'actFor'>): Promise<Schema<'ActivityDto'>>;

  /**
   * Read the logo of an activity
   *
   * Public, and kept by caches for five minutes.
   *
   * Open to everybody, without a token.
   *
   * `GET /v1/activities/{id}/logo`
   */
  readActivityLogo(id: string, options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Read the terms of an activity
   *
   * For the sponsor and staff. With `opensAt` and `closesAt` added, the answer is the body of a new activity.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/template`
   */
  readActivityTemplate(id: string, options?: Options<'actFor'>): Promise<Schema<'TemplateDto'>>;

  /**
   * Read the clock that opens activities
   *
   * For countdowns, because the clock of a phone may be wrong. Ask a few times and take the fastest answer: its age is half of the round trip.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/clock`
   */
  readClock(query?: Query<'readClock'>, options?: Options<'actFor'>): Promise<Schema<'ClockDto'>>;

  /**
   * List dead letters
   *
   * Claims that could not be paid, newest first. Only open ones, unless `status` says otherwise.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/dead-letters`
   */
  listDeadLetters(query?: Query<'listDeadLetters'>, options?: Options): Promise<Schema<'DeadLetterPageDto'>>;

  /**
   * Replay dead letters by filter
   *
   * Replays all open letters that match, at most 1000 a call, oldest first.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/dead-letters/replay`
   */
  replayDeadLetters(body: Schema<'ReplayBody'>, options?: Options<'key'>): Promise<Schema<'ReplayedDto'>>;

  /**
   * Replay a dead letter
   *
   * Hands the claim back to settlement. The claim is paid exactly once.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/dead-letters/{id}/replay`
   */
  replayDeadLetter(id: string, options?: Options<'key'>): Promise<Schema<'DeadLetterDto'>>;

  /**
   * Resolve a dead letter without a payment
   *
   * Ends the case with a written reason and without a payment. The money stays in the escrow, and the letter can still be replayed or declared void.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/dead-letters/{id}/resolve`
   */
  resolveDeadLetter(id: string, body: Schema<'ResolveBody'>, options?: Options<'key'>): Promise<Schema<'DeadLetterDto'>>;

  /**
   * Declare a dead letter void
   *
   * Ends the case for good. The claim is never paid, and its money goes back to the sponsor. While the activity goes on, the money pays for a new packet of the same amount, which waiting users get first. The user cannot grab again in this activity. A void beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202 and waits for the approval of a second person.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/dead-letters/{id}/void`
   */
  voidDeadLetter(id: string, body: Schema<'VoidBody'>, options?: Options<'key'>): Promise<{ status: 200; body: Schema<'VoidedClaimDto'> } | { status: 202; body: Schema<'ApprovalDto'> }>;

  /**
   * Hold a claim before it is paid
   *
   * The claim stays won, and is not paid until it is released or its dead letter is declared void. `GET /v1/dead-letters?reason=held` lists what is held.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/claims/{id}/hold`
   */
  holdClaim(id: string, body: Schema<'HoldBody'>, options?: Options<'key'>): Promise<Schema<'DeadLetterDto'>>;

  /**
   * Release a held claim
   *
   * Hands it to settlement, which pays it once.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/claims/{id}/release`
   */
  releaseClaim(id: string, options?: Options<'key'>): Promise<Schema<'DeadLetterDto'>>;

  /**
   * Close an activity
   *
   * For the sponsor and staff. Closes the activity now and refunds unclaimed packets to the sponsor. A repeated request changes nothing.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/activities/{id}/close`
   */
  closeActivity(id: string, options?: Options<'actFor' | 'key'>): Promise<Schema<'ActivityDto'>>;

  /**
   * Cancel an activity before it opens
   *
   * For the sponsor and staff. Refunds the total to the sponsor.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/activities/{id}/cancel`
   */
  cancelActivity(id: string, options?: Options<'actFor' | 'key'>): Promise<Schema<'ActivityDto'>>;

  /**
   * Read the reconciliation of an activity
   *
   * For the sponsor and staff. The proof that the books agree. It holds at any moment, also during the rain.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/reconciliation`
   */
  reconcileActivity(id: string, options?: Options<'actFor'>): Promise<Schema<'ReconciliationDto'>>;

  /**
   * Export the result of every packet
   *
   * Sorted by packet, with unclaimed packets. Available once the activity has ended. The export holds everything that existed when it began, each row once, as it was when it was read. Rows that are added meanwhile may be in it too.
   *
   * - CSV: as in RFC 4180, with a header line. A value that a spreadsheet would take for a formula begins with `'`.
   * - NDJSON: one object per line; the last line is `{"end":true,"rows":…}`.
   *
   * An export is incomplete when the connection breaks before its end, or when NDJSON lacks its last line.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/export/results`
   */
  exportResults(id: string, query?: Query<'exportResults'>, options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Export the claims of an activity
   *
   * Sorted by packet. The export holds everything that existed when it began, each row once, as it was when it was read. Rows that are added meanwhile may be in it too.
   *
   * - CSV: as in RFC 4180, with a header line. A value that a spreadsheet would take for a formula begins with `'`.
   * - NDJSON: one object per line; the last line is `{"end":true,"rows":…}`.
   *
   * An export is incomplete when the connection breaks before its end, or when NDJSON lacks its last line.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/export/claims`
   */
  exportClaims(id: string, query?: Query<'exportClaims'>, options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Export what became of the credits of an activity with a payout channel
   *
   * Sorted by packet. Empty where credits stay in the wallet. The export holds everything that existed when it began, each row once, as it was when it was read. Rows that are added meanwhile may be in it too.
   *
   * - CSV: as in RFC 4180, with a header line. A value that a spreadsheet would take for a formula begins with `'`.
   * - NDJSON: one object per line; the last line is `{"end":true,"rows":…}`.
   *
   * An export is incomplete when the connection breaks before its end, or when NDJSON lacks its last line.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/export/payouts`
   */
  exportPayouts(id: string, query?: Query<'exportPayouts'>, options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Export the ledger of an activity
   *
   * Deposits into the escrow first, then credits to winners, then refunds to the sponsor. The export holds everything that existed when it began, each row once, as it was when it was read. Rows that are added meanwhile may be in it too.
   *
   * - CSV: as in RFC 4180, with a header line. A value that a spreadsheet would take for a formula begins with `'`.
   * - NDJSON: one object per line; the last line is `{"end":true,"rows":…}`.
   *
   * An export is incomplete when the connection breaks before its end, or when NDJSON lacks its last line.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/export/ledger`
   */
  exportLedger(id: string, query?: Query<'exportLedger'>, options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * List approvals
   *
   * Newest first. Only pending ones, unless `status` says otherwise.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/approvals`
   */
  listApprovals(query?: Query<'listApprovals'>, options?: Options): Promise<Schema<'ApprovalPageDto'>>;

  /**
   * Read an approval
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/approvals/{id}`
   */
  readApproval(id: string, options?: Options): Promise<Schema<'ApprovalDto'>>;

  /**
   * Approve a request
   *
   * Approves a request. The approver must be another person. The request is carried out at once; if that is not possible, the problem says why and the request stays pending.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/approvals/{id}/approve`
   */
  approveRequest(id: string, options?: Options<'key'>): Promise<Schema<'ApprovalDto'>>;

  /**
   * Reject a request
   *
   * Rejects a request. The person who rejects must be another one than the one who asked. It is never carried out; it may be requested anew.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/approvals/{id}/reject`
   */
  rejectRequest(id: string, options?: Options<'key'>): Promise<Schema<'ApprovalDto'>>;

  /**
   * Create a payout channel
   *
   * A channel is an outside balance system, with the limits of its profile. With a `url`, each payout is sent there, signed as in Standard Webhooks; without one, its back end reads the payouts that wait for it and reports what became of them.
   *
   * Roles: `operator`.
   *
   * `POST /v1/payout-channels`
   */
  createPayoutChannel(body: Schema<'CreateChannelBody'>, options?: Options<'key'>): Promise<Schema<'CreatedChannelDto'>>;

  /**
   * List payout channels
   *
   * Newest first. Only staff see where channels are called: for others `url` is null.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/payout-channels`
   */
  listPayoutChannels(options?: Options<'actFor'>): Promise<Schema<'ChannelListDto'>>;

  /**
   * Change a payout channel
   *
   * Changes the fields that are given. Payouts that exist keep going.
   *
   * Roles: `operator`.
   *
   * `PATCH /v1/payout-channels/{id}`
   */
  changePayoutChannel(id: string, body: Schema<'ChangeChannelBody'>, options?: Options): Promise<Schema<'ChannelDto'>>;

  /**
   * Delete a payout channel
   *
   * Possible once all its payouts have ended.
   *
   * Roles: `operator`.
   *
   * `DELETE /v1/payout-channels/{id}`
   */
  deletePayoutChannel(id: string, options?: Options): Promise<undefined>;

  /**
   * Give a payout channel a new secret
   *
   * For a day, both secrets sign what is sent to the URL. The one before the former no longer does.
   *
   * Roles: `operator`.
   *
   * `POST /v1/payout-channels/{id}/rotate-secret`
   */
  rotatePayoutChannelSecret(id: string, options?: Options<'key'>): Promise<Schema<'ChannelSecretDto'>>;

  /**
   * List payouts
   *
   * Newest first.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/payouts`
   */
  listPayouts(query?: Query<'listPayouts'>, options?: Options): Promise<Schema<'PayoutPageDto'>>;

  /**
   * Read a payout with its story
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/payouts/{id}`
   */
  readPayout(id: string, options?: Options): Promise<Schema<'PayoutStoryDto'>>;

  /**
   * Resolve a payout without its channel
   *
   * Says how a payout ended that the channel does not report, with the evidence. A second person has to approve it before anything changes, and neither may be its user.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/payouts/{id}/resolve`
   */
  resolvePayout(id: string, body: Schema<'ResolvePayoutBody'>, options?: Options<'key'>): Promise<Schema<'ApprovalDto'>>;

  /**
   * Ask the channel of a payout now
   *
   * Shortens the wait of a payout whose channel is called. What may have been sent is asked for, and never paid again because of this request. While the channel is not called at all, the answer says why.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/payouts/{id}/retry`
   */
  retryPayout(id: string, options?: Options<'key'>): Promise<Schema<'PayoutDto'>>;

  /**
   * List payouts that wait for the channel
   *
   * Oldest first: those in the state `reserved`. Pay each once under its `id`, and report what became of it. Payouts of frozen wallets are held, and all of a paused channel. Those of a channel with a URL are sent to it, and not listed.
   *
   * Roles: `operator`, `finance`, `support`, `channel`.
   *
   * `GET /v1/payout-channels/{id}/waiting`
   */
  listWaitingPayouts(id: string, query?: Query<'listWaitingPayouts'>, options?: Options): Promise<Schema<'PayoutPageDto'>>;

  /**
   * Report what became of payouts
   *
   * Posts payments and gives refused amounts back to their wallets. A channel reports about its own payouts only; others are `not-found`. It needs no Idempotency-Key: a repeated report changes nothing. A report that contradicts an earlier one becomes a finding.
   *
   * Roles: `channel`.
   *
   * `POST /v1/payouts/outcomes`
   */
  reportPayoutOutcomes(body: Schema<'OutcomesBody'>, options?: Options): Promise<Schema<'OutcomeResultsDto'>>;

  /**
   * Hand in the file of a day
   *
   * Compares the payments of a channel with our books, as CSV or NDJSON: `payoutId`, `userId`, `amount`, `state` and `at` of each. It needs no Idempotency-Key: a line has its effect once, and the same file gets the same answer. A file that breaks off is handed in again.
   *
   * Roles: `channel`.
   *
   * `POST /v1/payout-channels/{id}/statements`
   */
  comparePayoutStatement(id: string, query: Query<'comparePayoutStatement'>, file: Blob, options?: Options): Promise<Schema<'StatementResult'>>;

  /**
   * List findings
   *
   * Disagreements between our books and a channel’s, newest first. Only open ones, unless `state` says otherwise. `verify` fails while one is open.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/payout-findings`
   */
  listPayoutFindings(query?: Query<'listPayoutFindings'>, options?: Options): Promise<Schema<'FindingPageDto'>>;

  /**
   * Take a finding on
   *
   * The caller becomes its owner, in place of anybody else.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/payout-findings/{id}/own`
   */
  ownPayoutFinding(id: string, options?: Options<'key'>): Promise<Schema<'FindingDto'>>;

  /**
   * End a finding
   *
   * Moves no money: it records what was done about it. The user of the payout cannot end it.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/payout-findings/{id}/end`
   */
  endPayoutFinding(id: string, body: Schema<'EndFindingBody'>, options?: Options<'key'>): Promise<Schema<'FindingDto'>>;

  /**
   * Ask for a payout
   *
   * Takes the amount from my wallet and pays it out through a channel. A payout beyond `APPROVAL_ABOVE` or `APPROVAL_ABOVE_DAILY` is answered 202: the amount stays in the wallet until a second person has approved it.
   *
   * Roles: `user`, `server`.
   *
   * `POST /v1/me/payouts`
   */
  requestPayout(body: Schema<'AskForPayoutBody'>, options?: Options<'actFor' | 'key'>): Promise<Schema<'PayoutDto'>>;

  /**
   * List my payouts
   *
   * Newest first.
   *
   * Roles: `user`, `server`.
   *
   * `GET /v1/me/payouts`
   */
  listMyPayouts(query?: Query<'listMyPayouts'>, options?: Options<'actFor'>): Promise<Schema<'PayoutPageDto'>>;

  /**
   * Grab a packet
   *
   * Takes no body. A user gets one packet; a repeated request returns the same packet, so clients may repeat it freely. `sold-out`, `limit`, `not-open`, `not-yet` and `closed` are answers, not errors.
   *
   * Roles: `user`, `server`.
   *
   * `POST /v1/activities/{id}/grabs`
   */
  grabPacket(id: string, options?: Options<'actFor' | 'ticket'>): Promise<Schema<'GrabDto'>>;

  /**
   * List the winners of an activity
   *
   * For the sponsor of the activity and staff. Newest first, unless packets were added to the activity.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/grabs`
   */
  listGrabs(id: string, query?: Query<'listGrabs'>, options?: Options<'actFor'>): Promise<Schema<'GrabbedPacketPageDto'>>;

  /**
   * Read my packet of an activity
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/grabs/me`
   */
  readMyGrab(id: string, options?: Options<'actFor'>): Promise<Schema<'WonPacketDto'>>;

  /**
   * List my packets
   *
   * Newest first.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/packets`
   */
  listMyPackets(query?: Query<'listMyPackets'>, options?: Options<'actFor'>): Promise<Schema<'WonPacketPageDto'>>;

  /**
   * Read the largest packets of an activity
   *
   * Ten at most, with masked user ids, soon after the end of an activity with `showsBestLuck`; else the list is empty. Void packets are left out. An answer is up to a minute old.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/best-luck`
   */
  readBestLuck(id: string, options?: Options<'actFor'>): Promise<Schema<'BestLuckDto'>>;

  /**
   * Join the waiting list
   *
   * For users who were answered `sold-out`. A user has one place, in the order of joining; a repeated request returns the same place. Packets that become available, by a top-up or for a void claim, go to waiting users first. They are notified by `waitlist.assigned`.
   *
   * Roles: `user`, `server`.
   *
   * `POST /v1/activities/{id}/waitlist`
   */
  joinWaitlist(id: string, options?: Options<'actFor' | 'ticket'>): Promise<Schema<'WaitingPlaceDto'>>;

  /**
   * List waiting users
   *
   * For the sponsor of the activity and staff, in the order of their places.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/waitlist`
   */
  listWaitingUsers(id: string, query?: Query<'listWaitingUsers'>, options?: Options<'actFor'>): Promise<Schema<'WaitingUserPageDto'>>;

  /**
   * Read my place in the waiting list
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/waitlist/me`
   */
  readMyPlace(id: string, options?: Options<'actFor'>): Promise<Schema<'WaitingPlaceDto'>>;

  /**
   * Create a ticket key
   *
   * Tickets for activities of this sponsor that ask for one (`"admission":"ticket"`) are JSON Web Tokens that this key signs by HS256, with the claims `activity`, `sub` (the user) and `exp`. All processes know the key within two seconds. Several keys are valid at once: to rotate, create the new one, sign by it, and delete the old one.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `POST /v1/ticket-keys`
   */
  createTicketKey(body: Schema<'TicketKeysOf'>, options?: Options<'actFor' | 'key'>): Promise<Schema<'CreatedTicketKeyDto'>>;

  /**
   * List ticket keys
   *
   * Newest first, without their secrets.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `GET /v1/ticket-keys`
   */
  listTicketKeys(query?: Query<'listTicketKeys'>, options?: Options<'actFor'>): Promise<Schema<'TicketKeyListDto'>>;

  /**
   * Delete a ticket key
   *
   * Its tickets are refused within two seconds.
   *
   * Roles: `user`, `server`, `operator`, `campaign`.
   *
   * `DELETE /v1/ticket-keys/{id}`
   */
  deleteTicketKey(id: string, options?: Options<'actFor'>): Promise<undefined>;

  /**
   * Read the commitments of an activity
   *
   * The terms, the commitment and the root of each batch of packets, published before any of them could be grabbed, and the seeds after the end. All amounts follow from terms and seed: see docs/fairness.md.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/activities/{id}/fairness`
   */
  readFairness(id: string, query?: Query<'readFairness'>, options?: Options<'actFor'>): Promise<Schema<'FairnessDto'>>;

  /**
   * Prove that my packet existed before the rain began
   *
   * At once after the win. The way from the packet to the root that was published before it.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/packets/{redPacketId}/proof`
   */
  provePacket(redPacketId: string, options?: Options<'actFor'>): Promise<Schema<'PacketProofDto'>>;

  /**
   * Read the last checkpoint of the log of claims
   *
   * A signed note of C2SP (tlog-checkpoint): the size and the root of the tree. Keep it: a later tree that does not begin with this one is another history. See docs/fairness.md.
   *
   * Open to everybody, without a token.
   *
   * `GET /v1/log/checkpoint`
   */
  readCheckpoint(options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Read the public key of the log of claims
   *
   * As signed notes write it: `<name>+<id>+<key>`. Note it once: it stays the same until its operators publish another one.
   *
   * Open to everybody, without a token.
   *
   * `GET /v1/log/key`
   */
  readLogKey(options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * Prove that a later tree of the log begins with a former one
   *
   * Open to everybody, without a token.
   *
   * `GET /v1/log/consistency`
   */
  proveConsistency(query: Query<'proveConsistency'>, options?: Options): Promise<Schema<'LogConsistencyDto'>>;

  /**
   * List leaves of the log of claims
   *
   * At most 1,000, by their index. From all leaves anybody computes every root again.
   *
   * Open to everybody, without a token.
   *
   * `GET /v1/log/leaves`
   */
  listLogLeaves(query: Query<'listLogLeaves'>, options?: Options): Promise<Schema<'LogLeavesDto'>>;

  /**
   * Prove that my packet is in the log of claims
   *
   * A few seconds after the win. The salt leads from your user id to the leaf.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/packets/{redPacketId}/log-proof`
   */
  proveLogged(redPacketId: string, options?: Options<'actFor'>): Promise<Schema<'LogProofDto'>>;

  /**
   * Get a ticket for my events
   *
   * For `EventSource` in browsers, which cannot send a token: `/v1/me/events?ticket=…` within half a minute. A ticket opens one connection. An `EventSource` that has lost its connection needs a new ticket, and `lastEventId` so that it misses nothing.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `POST /v1/me/events/tickets`
   */
  createEventTicket(options?: Options<'actFor'>): Promise<Schema<'EventTicketDto'>>;

  /**
   * Stream my events
   *
   * Server-Sent Events. An event has the lines `id`, `event` and `data`, followed by an empty line. An `id` alone is a heartbeat.
   *
   * - `event`: `packet.confirmed`, `wallet.credited`, `waitlist.assigned`, `activity.opened`, `activity.sold-out`, `activity.closed`, `payout.paid`, `payout.refused`, `payout.needs-user`, `payout.returned`.
   * - `data`: JSON, a `PacketEventDto`, an `ActivityEventDto` when the event begins with `activity.`, or a `PayoutEventDto` when it begins with `payout.`. Webhooks receive the same. `messageId` identifies the event: an event that arrives twice, which is rare, has the same one.
   * - `id`: the position of this client in the stream, for `Last-Event-ID`.
   *
   * Events begin with the first connection. A client that reconnects within five minutes with `Last-Event-ID` misses none. A later one receives `resync` with `{}` and should read `/v1/me/packets`. The connection ends after 15 minutes.
   *
   * Roles: `user`, `server`, `operator`, `campaign`, `finance`, `support`.
   *
   * `GET /v1/me/events`
   */
  listenToEvents(query?: Query<'listenToEvents'>, options?: Options<'actFor'>): Promise<ReadableStream<Uint8Array>>;

  /**
   * Register a webhook
   *
   * The URL receives these events from now on (within two seconds). Each is a POST with `type`, `timestamp` and `data` as JSON, signed as in Standard Webhooks by the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. A message counts as delivered when the answer is 2xx within the time-out; redirects are not followed. Every message arrives at least once, in no particular order: drop a message whose `webhook-id` has arrived before.
   *
   * Roles: `operator`.
   *
   * `POST /v1/webhooks`
   */
  createWebhook(body: Schema<'CreateWebhookBody'>, options?: Options<'key'>): Promise<Schema<'CreatedWebhookDto'>>;

  /**
   * List webhooks
   *
   * Newest first, without their secrets.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/webhooks`
   */
  listWebhooks(options?: Options): Promise<Schema<'WebhookListDto'>>;

  /**
   * Send a test message
   *
   * Sends a message of the type `webhook.test`. It is delivered like any other: signed, retried and, in the end, a dead letter. The list of deliveries shows its state.
   *
   * Roles: `operator`.
   *
   * `POST /v1/webhooks/{id}/tests`
   */
  testWebhook(id: string, options?: Options<'key'>): Promise<Schema<'TestMessageDto'>>;

  /**
   * List deliveries of a webhook
   *
   * At most 50 in each state, newest first, with those that were accepted within the last minute.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/webhooks/{id}/deliveries`
   */
  listWebhookDeliveries(id: string, options?: Options): Promise<Schema<'DeliveryListDto'>>;

  /**
   * List dead letters of a webhook
   *
   * Newest first.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/webhooks/{id}/dead-letters`
   */
  listWebhookDeadLetters(id: string, query?: Query<'listWebhookDeadLetters'>, options?: Options): Promise<Schema<'UndeliveredPageDto'>>;

  /**
   * Deliver dead letters again
   *
   * Retries at most 1000 a call, oldest first. Each message keeps its `webhook-id`. One that fails again becomes a dead letter again.
   *
   * Roles: `operator`.
   *
   * `POST /v1/webhooks/{id}/dead-letters/replay`
   */
  replayWebhookDeadLetters(id: string, body: Schema<'ReplayUndeliveredBody'>, options?: Options<'key'>): Promise<Schema<'ReplayedMessagesDto'>>;

  /**
   * Delete a webhook
   *
   * Stops deliveries. Messages that were not delivered yet are discarded.
   *
   * Roles: `operator`.
   *
   * `DELETE /v1/webhooks/{id}`
   */
  deleteWebhook(id: string, options?: Options): Promise<undefined>;

  /**
   * List the audit log
   *
   * Actions of staff and sponsors, newest first, each with the state before and after.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/audit-log`
   */
  listAuditLog(query?: Query<'listAuditLog'>, options?: Options): Promise<Schema<'AuditPageDto'>>;

  /**
   * List unreadable journal entries
   *
   * Entries that could not be read were put aside and are kept, so that all others go on. Sorted by shard, newest first.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/journal/quarantine`
   */
  listQuarantinedEntries(query?: Query<'listQuarantinedEntries'>, options?: Options): Promise<Schema<'QuarantinedEntryPageDto'>>;

  /**
   * Open work and recent corrections
   *
   * A snapshot for people who watch, at most a second old. Alarms belong to the metrics.
   *
   * Roles: `operator`, `finance`, `support`.
   *
   * `GET /v1/overview`
   */
  readOverview(options?: Options): Promise<Schema<'OverviewDto'>>;

  /**
   * Liveness: restart the process when it fails
   *
   * Open to everybody, without a token.
   *
   * `GET /health/live`
   */
  checkLiveness(options?: Options): Promise<Schema<'LiveDto'>>;

  /**
   * Readiness: send requests elsewhere when it fails
   *
   * Open to everybody, without a token.
   *
   * `GET /health/ready`
   */
  checkReadiness(options?: Options): Promise<Schema<'ReadyDto'>>;

  /**
   * State of Postgres, Redis and settlement
   *
   * For people and alarms, not for balancers. An engine that is down is down for all processes, so readiness does not depend on it.
   *
   * Open to everybody, without a token.
   *
   * `GET /health/dependencies`
   */
  checkDependencies(options?: Options): Promise<Schema<'DependenciesDto'>>;

  /**
   * Prometheus metrics of this process, and of all that share its port
   *
   * Open to everybody, without a token.
   *
   * `GET /metrics`
   */
  readMetrics(options?: Options): Promise<ReadableStream<Uint8Array>>;

  /**
   * End all findings that a file has made
   *
   * For a file that was wrong as a whole: `id` is the `statementId` of its findings. Moves no money. It lets a channel go on that `never-sent` holds, so find out first that none of its lines is a payment. Findings about payouts of the caller stay open.
   *
   * Roles: `operator`, `finance`.
   *
   * `POST /v1/payout-statements/{id}/end-findings`
   */
  endFindingsOfStatement(id: string, body: Schema<'EndFindingBody'>, options?: Options<'key'>): Promise<Schema<'EndedFindingsDto'>>;
}

/** Method, path, inputs after those of the path; media types of an answer that is not JSON, or `status`. */
export const ROUTES = {
  depositMoney: ["post","/v1/wallets/{ownerId}/deposits","body","status"],
  readWallet: ["get","/v1/wallets/{ownerId}"],
  listWalletEntries: ["get","/v1/wallets/{ownerId}/entries","query"],
  readMyWallet: ["get","/v1/me/wallet"],
  listMyWalletEntries: ["get","/v1/me/wallet/entries","query"],
  readBudget: ["get","/v1/wallets/{ownerId}/budget"],
  setBudget: ["patch","/v1/wallets/{ownerId}/budget","body"],
  deleteBudget: ["delete","/v1/wallets/{ownerId}/budget"],
  readMyBudget: ["get","/v1/me/budget"],
  freezeWallet: ["post","/v1/wallets/{ownerId}/freeze"],
  unfreezeWallet: ["post","/v1/wallets/{ownerId}/unfreeze"],
  previewSplit: ["post","/v1/split-previews","body"],
  createActivity: ["post","/v1/activities","body","status"],
  listActivities: ["get","/v1/activities","query"],
  checkPreflight: ["get","/v1/activities/{id}/preflight"],
  readActivityProgress: ["get","/v1/activities/{id}/progress"],
  topUpActivity: ["post","/v1/activities/{id}/top-ups","body","status"],
  readActivity: ["get","/v1/activities/{id}"],
  changeActivityLook: ["patch","/v1/activities/{id}","body"],
  readActivityLogo: ["get","/v1/activities/{id}/logo","","image/png, image/webp"],
  readActivityTemplate: ["get","/v1/activities/{id}/template"],
  readClock: ["get","/v1/clock","query"],
  listDeadLetters: ["get","/v1/dead-letters","query"],
  replayDeadLetters: ["post","/v1/dead-letters/replay","body"],
  replayDeadLetter: ["post","/v1/dead-letters/{id}/replay"],
  resolveDeadLetter: ["post","/v1/dead-letters/{id}/resolve","body"],
  voidDeadLetter: ["post","/v1/dead-letters/{id}/void","body","status"],
  holdClaim: ["post","/v1/claims/{id}/hold","body"],
  releaseClaim: ["post","/v1/claims/{id}/release"],
  closeActivity: ["post","/v1/activities/{id}/close"],
  cancelActivity: ["post","/v1/activities/{id}/cancel"],
  reconcileActivity: ["get","/v1/activities/{id}/reconciliation"],
  exportResults: ["get","/v1/activities/{id}/export/results","query","text/csv, application/x-ndjson"],
  exportClaims: ["get","/v1/activities/{id}/export/claims","query","text/csv, application/x-ndjson"],
  exportPayouts: ["get","/v1/activities/{id}/export/payouts","query","text/csv, application/x-ndjson"],
  exportLedger: ["get","/v1/activities/{id}/export/ledger","query","text/csv, application/x-ndjson"],
  listApprovals: ["get","/v1/approvals","query"],
  readApproval: ["get","/v1/approvals/{id}"],
  approveRequest: ["post","/v1/approvals/{id}/approve"],
  rejectRequest: ["post","/v1/approvals/{id}/reject"],
  createPayoutChannel: ["post","/v1/payout-channels","body"],
  listPayoutChannels: ["get","/v1/payout-channels"],
  changePayoutChannel: ["patch","/v1/payout-channels/{id}","body"],
  deletePayoutChannel: ["delete","/v1/payout-channels/{id}"],
  rotatePayoutChannelSecret: ["post","/v1/payout-channels/{id}/rotate-secret"],
  listPayouts: ["get","/v1/payouts","query"],
  readPayout: ["get","/v1/payouts/{id}"],
  resolvePayout: ["post","/v1/payouts/{id}/resolve","body"],
  retryPayout: ["post","/v1/payouts/{id}/retry"],
  listWaitingPayouts: ["get","/v1/payout-channels/{id}/waiting","query"],
  reportPayoutOutcomes: ["post","/v1/payouts/outcomes","body"],
  comparePayoutStatement: ["post","/v1/payout-channels/{id}/statements","query file"],
  listPayoutFindings: ["get","/v1/payout-findings","query"],
  ownPayoutFinding: ["post","/v1/payout-findings/{id}/own"],
  endPayoutFinding: ["post","/v1/payout-findings/{id}/end","body"],
  requestPayout: ["post","/v1/me/payouts","body"],
  listMyPayouts: ["get","/v1/me/payouts","query"],
  grabPacket: ["post","/v1/activities/{id}/grabs"],
  listGrabs: ["get","/v1/activities/{id}/grabs","query"],
  readMyGrab: ["get","/v1/activities/{id}/grabs/me"],
  listMyPackets: ["get","/v1/me/packets","query"],
  readBestLuck: ["get","/v1/activities/{id}/best-luck"],
  joinWaitlist: ["post","/v1/activities/{id}/waitlist"],
  listWaitingUsers: ["get","/v1/activities/{id}/waitlist","query"],
  readMyPlace: ["get","/v1/activities/{id}/waitlist/me"],
  createTicketKey: ["post","/v1/ticket-keys","body"],
  listTicketKeys: ["get","/v1/ticket-keys","query"],
  deleteTicketKey: ["delete","/v1/ticket-keys/{id}"],
  readFairness: ["get","/v1/activities/{id}/fairness","query"],
  provePacket: ["get","/v1/me/packets/{redPacketId}/proof"],
  readCheckpoint: ["get","/v1/log/checkpoint","","text/plain"],
  readLogKey: ["get","/v1/log/key","","text/plain"],
  proveConsistency: ["get","/v1/log/consistency","query"],
  listLogLeaves: ["get","/v1/log/leaves","query"],
  proveLogged: ["get","/v1/me/packets/{redPacketId}/log-proof"],
  createEventTicket: ["post","/v1/me/events/tickets"],
  listenToEvents: ["get","/v1/me/events","query","text/event-stream"],
  createWebhook: ["post","/v1/webhooks","body"],
  listWebhooks: ["get","/v1/webhooks"],
  testWebhook: ["post","/v1/webhooks/{id}/tests"],
  listWebhookDeliveries: ["get","/v1/webhooks/{id}/deliveries"],
  listWebhookDeadLetters: ["get","/v1/webhooks/{id}/dead-letters","query"],
  replayWebhookDeadLetters: ["post","/v1/webhooks/{id}/dead-letters/replay","body"],
  deleteWebhook: ["delete","/v1/webhooks/{id}"],
  listAuditLog: ["get","/v1/audit-log","query"],
  listQuarantinedEntries: ["get","/v1/journal/quarantine","query"],
  readOverview: ["get","/v1/overview"],
  checkLiveness: ["get","/health/live"],
  checkReadiness: ["get","/health/ready"],
  checkDependencies: ["get","/health/dependencies"],
  readMetrics: ["get","/metrics","","text/plain"],
  endFindingsOfStatement: ["post","/v1/payout-statements/{id}/end-findings","body"],
} as const;
