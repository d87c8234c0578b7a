import type { ApiDescription } from './platform/http';

/** The operations in the order of a night, from the deposit to the files for accounting. */
export const apiTags: ApiDescription['tags'] = [
  {
    name: 'wallets',
    description: 'Balances and ledger lines. A rain begins with a deposit into the wallet that pays.',
    operations: [
      ...['depositMoney', 'readWallet', 'listWalletEntries', 'reverseDeposit'],
      ...['listWallets', 'listSponsors', 'readTransfer', 'listDeposits'],
      ...[
        'readMyWallet',
        'listMyWallets',
        'listMyWalletEntries',
        'readMyStatement',
        'readStatement',
        'readBudget',
        'setBudget',
        'deleteBudget',
        'readMyBudget',
      ],
      ...['freezeWallet', 'unfreezeWallet', 'createCurrency', 'listCurrencies'],
    ],
  },
  {
    name: 'activities',
    description: 'A rain: previewed, created, checked before it opens, watched and topped up.',
    operations: [
      ...['previewSplit', 'createActivity', 'listActivities', 'checkPreflight', 'readActivityProgress'],
      'readActivityHistory',
      ...['listSent', 'readMySenderBounds'],
      ...['topUpActivity', 'extendActivity', 'readActivity', 'changeActivityLook', 'readActivityLogo'],
      ...['readActivityTemplate', 'readActivityAudience', 'rotateShareCode', 'readClock'],
    ],
  },
  {
    name: 'series',
    description: 'Activities that repeat by a rule.',
    operations: [
      ...[
        'previewSeries',
        'createSeries',
        'listSeries',
        'readSeries',
        'changeSeries',
        'pauseSeries',
        'resumeSeries',
        'endSeries',
      ],
      'listOccurrences',
    ],
  },
  {
    name: 'dead letters',
    description: 'Claims that could not be paid or are held by staff: replay, resolve or declare them void.',
    operations: [
      ...['listDeadLetters', 'replayDeadLetters', 'replayDeadLetter', 'resolveDeadLetter', 'voidDeadLetter'],
      ...['holdClaim', 'releaseClaim'],
    ],
  },
  {
    name: 'closing',
    description: 'The end of a rain: the refund of unclaimed packets, the proof of the books, and the files.',
    operations: [
      ...['closeActivity', 'cancelActivity', 'reconcileActivity'],
      ...['exportResults', 'exportClaims', 'exportPayouts', 'exportLedger'],
    ],
  },
  {
    name: 'approvals',
    description: 'Requests by one person that a second person decides.',
    operations: ['listApprovals', 'readApproval', 'approveRequest', 'rejectRequest', 'listMyApprovals'],
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
    description: 'Taps, the packets they win, and the waiting list for packets that become available.',
    operations: [
      ...['grabPacket', 'readMyGrab', 'listMyPackets', 'listGrabs', 'readClaim', 'readBestLuck'],
      ...['readMyCode', 'listMyCodes'],
      'thankForPacket',
      ...['joinWaitlist', 'readMyPlace', 'listWaitingUsers'],
    ],
  },
  {
    name: 'tickets',
    description: 'Keys with which a sponsor signs tickets for users who may tap.',
    operations: ['createTicketKey', 'listTicketKeys', 'deleteTicketKey'],
  },
  {
    name: 'codes',
    description: 'Pools of codes, such as vouchers, that packets give instead of money.',
    operations: ['createCodePool', 'listCodePools', 'readCodePool', 'uploadCodes'],
  },
  {
    name: 'fairness',
    description: 'Commitments to packets, the log of claims, and proofs of both.',
    operations: [
      ...['readFairness', 'provePacket', 'readCheckpoint', 'readLogKey', 'proveConsistency'],
      ...['listLogLeaves', 'proveLogged', 'readCheckpointToCosign', 'addCosignature'],
    ],
  },
  {
    name: 'events',
    description: 'Notifications instead of polling.',
    operations: ['createEventTicket', 'listenToEvents', 'openGateway'],
  },
  {
    name: 'webhooks',
    description: 'Notifications for integrators’ servers.',
    operations: [
      ...['createWebhook', 'listWebhooks', 'testWebhook', 'listWebhookDeliveries', 'listWebhookDeadLetters'],
      ...['readWebhookMessage', 'replayWebhookDeadLetters', 'changeWebhook', 'deleteWebhook'],
    ],
  },
  {
    name: 'erasures',
    description: 'People who are to be forgotten.',
    operations: ['readStanding', 'requestErasure', 'listErasures', 'readErasure', 'withdrawErasure'],
  },
  { name: 'audit', description: 'Actions by staff and sponsors.', operations: ['listAuditLog'] },
  {
    name: 'journal',
    description: 'Journal entries that cannot be read.',
    operations: ['listQuarantinedEntries'],
  },
  {
    name: 'operations',
    description: 'Probes, metrics and open work.',
    operations: ['readOverview', 'checkLiveness', 'checkReadiness', 'checkDependencies', 'readMetrics'],
  },
];
