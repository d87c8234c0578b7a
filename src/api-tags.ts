import type { ApiDescription } from './platform/http';

/** The operations in the order of a night, from the deposit to the files for accounting. */
export const apiTags: ApiDescription['tags'] = [
  {
    name: 'wallets',
    description: 'Balances and ledger lines. A rain begins with a deposit into the wallet that pays.',
    operations: [
      ...['depositMoney', 'readWallet', 'listWalletEntries', 'readMyWallet', 'listMyWalletEntries'],
      ...['readBudget', 'setBudget', 'deleteBudget', 'readMyBudget', 'freezeWallet', 'unfreezeWallet'],
    ],
  },
  {
    name: 'activities',
    description: 'A rain: previewed, created, checked before it opens, watched and topped up.',
    operations: [
      ...['previewSplit', 'createActivity', 'listActivities', 'checkPreflight', 'readActivityProgress'],
      ...['topUpActivity', 'readActivity', 'changeActivityLook', 'readActivityLogo'],
      ...['readActivityTemplate', 'readClock'],
    ],
  },
  {
    name: 'dead letters',
    description: 'Claims that could not be paid or that staff hold: replayed, resolved or declared void.',
    operations: [
      ...['listDeadLetters', 'replayDeadLetters', 'replayDeadLetter', 'resolveDeadLetter', 'voidDeadLetter'],
      ...['holdClaim', 'releaseClaim'],
    ],
  },
  {
    name: 'closing',
    description: 'The end of a rain: the refund of what nobody won, the proof of its books, and its files.',
    operations: [
      ...['closeActivity', 'cancelActivity', 'reconcileActivity'],
      ...['exportResults', 'exportClaims', 'exportPayouts', 'exportLedger'],
    ],
  },
  {
    name: 'approvals',
    description: 'Requests of one person that a second person decides.',
    operations: ['listApprovals', 'readApproval', 'approveRequest', 'rejectRequest'],
  },
  {
    name: 'payouts',
    description: 'Money that leaves wallets through channels.',
    operations: [
      ...['createPayoutChannel', 'listPayoutChannels', 'changePayoutChannel', 'rotatePayoutChannelSecret'],
      ...['deletePayoutChannel', 'listPayouts', 'readPayout', 'resolvePayout', 'retryPayout'],
      ...['listWaitingPayouts', 'reportPayoutOutcomes', 'comparePayoutStatement'],
      ...['listPayoutFindings', 'ownPayoutFinding', 'endPayoutFinding', 'requestPayout', 'listMyPayouts'],
    ],
  },
  {
    name: 'grabs',
    description: 'Taps, the packets that they win, and the line for packets that come back.',
    operations: [
      ...['grabPacket', 'readMyGrab', 'listMyPackets', 'listGrabs', 'readBestLuck'],
      ...['joinWaitlist', 'readMyPlace', 'listWaitingUsers'],
    ],
  },
  {
    name: 'tickets',
    description: 'Keys with which a sponsor signs tickets for those who may tap.',
    operations: ['createTicketKey', 'listTicketKeys', 'deleteTicketKey'],
  },
  {
    name: 'fairness',
    description: 'Commitments to packets, the log of claims, and proofs of both.',
    operations: [
      ...['readFairness', 'provePacket', 'readCheckpoint', 'readLogKey', 'proveConsistency'],
      ...['listLogLeaves', 'proveLogged'],
    ],
  },
  {
    name: 'events',
    description: 'Notifications instead of polling.',
    operations: ['createEventTicket', 'listenToEvents', 'openGateway'],
  },
  {
    name: 'webhooks',
    description: 'Notifications for servers of integrators.',
    operations: [
      ...['createWebhook', 'listWebhooks', 'testWebhook', 'listWebhookDeliveries', 'listWebhookDeadLetters'],
      ...['replayWebhookDeadLetters', 'deleteWebhook'],
    ],
  },
  { name: 'audit', description: 'Actions of staff and sponsors.', operations: ['listAuditLog'] },
  {
    name: 'journal',
    description: 'Reservations that cannot be read.',
    operations: ['listQuarantinedEntries'],
  },
  {
    name: 'operations',
    description: 'Probes, metrics and open work.',
    operations: ['readOverview', 'checkLiveness', 'checkReadiness', 'checkDependencies', 'readMetrics'],
  },
];
