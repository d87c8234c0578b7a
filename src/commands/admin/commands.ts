import { activityCommands } from './activity-commands';
import { approvalCommands } from './approval-commands';
import { channelCommands } from './channel-commands';
import { codePoolCommands } from './code-pool-commands';
import type { Command } from './command';
import { commitmentCommands } from './commitment-commands';
import { deadLetterCommands } from './dead-letter-commands';
import { evidenceCommand } from './evidence-command';
import { erasureCommands } from './erasure-commands';
import { exportCommand } from './export-command';
import { payoutCommands } from './payout-commands';
import { recordCommands } from './record-commands';
import { seriesCommands } from './series-commands';
import { statementCommand } from './statement-command';
import { ticketKeyCommands } from './ticket-key-commands';
import { verifyCommand } from './verify-command';
import { walletCommands } from './wallet-commands';
import { webhookCommands } from './webhook-commands';

export const COMMANDS: readonly Command[] = [
  ...activityCommands,
  ...walletCommands,
  statementCommand,
  ...deadLetterCommands,
  ...approvalCommands,
  ...payoutCommands,
  ...channelCommands,
  ...ticketKeyCommands,
  ...commitmentCommands,
  ...codePoolCommands,
  ...erasureCommands,
  ...seriesCommands,
  ...webhookCommands,
  ...recordCommands,
  verifyCommand,
  exportCommand,
  evidenceCommand,
];
