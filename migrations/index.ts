import { CreateSetting1700000000100 } from './1700000000100-create-setting';
import { CreateAccount1700000000200 } from './1700000000200-create-account';
import { CreateActivity1700000000300 } from './1700000000300-create-activity';
import { CreateClaim1700000000400 } from './1700000000400-create-claim';
import { CreateTransfer1700000000500 } from './1700000000500-create-transfer';
import { CreateDeadLetter1700000000600 } from './1700000000600-create-dead-letter';
import { CreateAuditLog1700000000700 } from './1700000000700-create-audit-log';
import { CreateIdempotencyKey1700000000900 } from './1700000000900-create-idempotency-key';
import { IndexEndedActivities1700000001000 } from './1700000001000-index-ended-activities';
import { OneIndexForUsers1700000001100 } from './1700000001100-one-index-for-users';
import { ConfirmFunctions1700000001200 } from './1700000001200-confirm-functions';
import { AuditBeforeAndAfter1700000001300 } from './1700000001300-audit-before-and-after';
import { CreateTopUp1700000001400 } from './1700000001400-create-top-up';
import { VoidLetters1700000001500 } from './1700000001500-void-letters';
import { ReplacingTopUps1700000001510 } from './1700000001510-replacing-top-ups';
import { VoidTransfers1700000001520 } from './1700000001520-void-transfers';
import { CheckKindsOfTransfers1700000001530 } from './1700000001530-check-kinds-of-transfers';
import { CreateWebhook1700000001600 } from './1700000001600-create-webhook';
import { AddEndingsToActivity1795343726897 } from './1795343726897-add-endings-to-activity';
import { IndexActivitiesOfSponsors1795345350524 } from './1795345350524-index-activities-of-sponsors';
import { ConfirmBesideTopUps1795345546117 } from './1795345546117-confirm-beside-top-ups';
import { CreateSeal1795345649722 } from './1795345649722-create-seal';
import { CreateStoredFunction1795370408415 } from './1795370408415-create-stored-function';
import { CreateDepositReference1795394587690 } from './1795394587690-create-deposit-reference';
import { IndexAllActivitiesOfSponsors1795394587790 } from './1795394587790-index-all-activities-of-sponsors';
import { AddViaToAuditLog1795405704860 } from './1795405704860-add-via-to-audit-log';
import { CreateApproval1795406304860 } from './1795406304860-create-approval';
import { CreateSoloDeed1795406404860 } from './1795406404860-create-solo-deed';
import { NameServedPrograms1795405532278 } from './1795405532278-name-served-programs';
import { PartitionBooks1795417200000 } from './1795417200000-partition-books';
import { CreateArchive1795417300000 } from './1795417300000-create-archive';
import { AddPartsToActivity1795422690601 } from './1795422690601-add-parts-to-activity';
import { AddPartsToTopUp1795422690701 } from './1795422690701-add-parts-to-top-up';
import { CheckParts1795422690801 } from './1795422690801-check-parts';
import { CountRemovedEntries1795590000000 } from './1795590000000-count-removed-entries';
import { IndexActivitiesByState1795591000000 } from './1795591000000-index-activities-by-state';
import { LetApprovalsCreate1795600000000 } from './1795600000000-let-approvals-create';
import { CheckApprovals1795600100000 } from './1795600100000-check-approvals';
import { CreatePayout1795700000000 } from './1795700000000-create-payout';
import { LetAccountsBeOutbound1795700010000 } from './1795700010000-let-accounts-be-outbound';
import { LetTransfersPayOut1795700020000 } from './1795700020000-let-transfers-pay-out';
import { LetApprovalsPayOut1795700030000 } from './1795700030000-let-approvals-pay-out';
import { CheckPayouts1795700100000 } from './1795700100000-check-payouts';
import { LetChannelsPush1795800000000 } from './1795800000000-let-channels-push';
import { LetActivitiesPayOut1795810000000 } from './1795810000000-let-activities-pay-out';
import { CreatePayoutCredit1795810010000 } from './1795810010000-create-payout-credit';
import { LetPayoutsBeSent1795900000000 } from './1795900000000-let-payouts-be-sent';
import { IndexDuePayouts1795900100000 } from './1795900100000-index-due-payouts';
import { CreatePayoutNews1796000100000 } from './1796000100000-create-payout-news';
import { CreatePayoutStatement1796000200000 } from './1796000200000-create-payout-statement';
import { IndexPayoutsOfFiles1796000300000 } from './1796000300000-index-payouts-of-files';
import { LetActivitiesAskForTickets1796100000000 } from './1796100000000-let-activities-ask-for-tickets';
import { CreateTicketKey1796100010000 } from './1796100010000-create-ticket-key';
import { CheckAdmission1796100020000 } from './1796100020000-check-admission';
import { CreatePacketBatch1796150000000 } from './1796150000000-create-packet-batch';
import { LetFindingsHaveOwners1796200000000 } from './1796200000000-let-findings-have-owners';
import { CreateClaimLog1796400000000 } from './1796400000000-create-claim-log';
import { LetActivitiesLimitWins1796520000000 } from './1796520000000-let-activities-limit-wins';
import { CreateWinCount1796520010000 } from './1796520010000-create-win-count';
import { CountBatches1796530000000 } from './1796530000000-count-batches';
import { FillBatchCounts1796530010000 } from './1796530010000-fill-batch-counts';
import { CreateBudget1796540000000 } from './1796540000000-create-budget';
import { LetActivitiesHaveLooks1796550000000 } from './1796550000000-let-activities-have-looks';
import { IndexSentPayouts1796570010000 } from './1796570010000-index-sent-payouts';
import { IndexAuditLog1796580010000 } from './1796580010000-index-audit-log';
import { IndexPayoutsGivenBack1796580020000 } from './1796580020000-index-payouts-given-back';
import { IndexFindingsByPayout1796590000000 } from './1796590000000-index-findings-by-payout';
import { IndexListsOfStaff1796600000000 } from './1796600000000-index-lists-of-staff';
import { IndexPacedBatches1796600010000 } from './1796600010000-index-paced-batches';
import { IndexPendingApprovals1796600020000 } from './1796600020000-index-pending-approvals';
import { LetLinesBeFindings1796600030000 } from './1796600030000-let-lines-be-findings';
import { LetPayoutsNameClaims1796720000000 } from './1796720000000-let-payouts-name-claims';
import { GiveActivitiesAFormat1796740000000 } from './1796740000000-give-activities-a-format';
import { LetFindingsNameTheirFile1796730000000 } from './1796730000000-let-findings-name-their-file';
import { IndexFindingsByFile1796730010000 } from './1796730010000-index-findings-by-file';
import { LetUsersBeInTrouble1796700000000 } from './1796700000000-let-users-be-in-trouble';
import { LetChannelsCountRefusals1796700010000 } from './1796700010000-let-channels-count-refusals';
import { IndexUsersInTrouble1796700020000 } from './1796700020000-index-users-in-trouble';
import { KeepSumsOfChannelDays1796710000000 } from './1796710000000-keep-sums-of-channel-days';
import { KeepSumsOfBudgetDays1796710010000 } from './1796710010000-keep-sums-of-budget-days';
import { IndexTicketKeys1796580000000 } from './1796580000000-index-ticket-keys';
import { LetChannelsHoldPayments1796570000000 } from './1796570000000-let-channels-hold-payments';
import { LetActivitiesShowLuck1796560000000 } from './1796560000000-let-activities-show-luck';

/** All migrations, oldest first. A new one goes to the end and never changes once it has landed. */
export const migrations = [
  CreateSetting1700000000100,
  CreateAccount1700000000200,
  CreateActivity1700000000300,
  CreateClaim1700000000400,
  CreateTransfer1700000000500,
  CreateDeadLetter1700000000600,
  CreateAuditLog1700000000700,
  CreateIdempotencyKey1700000000900,
  IndexEndedActivities1700000001000,
  OneIndexForUsers1700000001100,
  ConfirmFunctions1700000001200,
  AuditBeforeAndAfter1700000001300,
  CreateTopUp1700000001400,
  VoidLetters1700000001500,
  ReplacingTopUps1700000001510,
  VoidTransfers1700000001520,
  CheckKindsOfTransfers1700000001530,
  CreateWebhook1700000001600,
  AddEndingsToActivity1795343726897,
  IndexActivitiesOfSponsors1795345350524,
  ConfirmBesideTopUps1795345546117,
  CreateSeal1795345649722,
  CreateStoredFunction1795370408415,
  CreateDepositReference1795394587690,
  IndexAllActivitiesOfSponsors1795394587790,
  NameServedPrograms1795405532278,
  AddViaToAuditLog1795405704860,
  CreateApproval1795406304860,
  CreateSoloDeed1795406404860,
  PartitionBooks1795417200000,
  CreateArchive1795417300000,
  AddPartsToActivity1795422690601,
  AddPartsToTopUp1795422690701,
  CheckParts1795422690801,
  CountRemovedEntries1795590000000,
  IndexActivitiesByState1795591000000,
  LetApprovalsCreate1795600000000,
  CheckApprovals1795600100000,
  CreatePayout1795700000000,
  LetAccountsBeOutbound1795700010000,
  LetTransfersPayOut1795700020000,
  LetApprovalsPayOut1795700030000,
  CheckPayouts1795700100000,
  LetChannelsPush1795800000000,
  LetActivitiesPayOut1795810000000,
  CreatePayoutCredit1795810010000,
  LetPayoutsBeSent1795900000000,
  IndexDuePayouts1795900100000,
  CreatePayoutNews1796000100000,
  CreatePayoutStatement1796000200000,
  IndexPayoutsOfFiles1796000300000,
  LetActivitiesAskForTickets1796100000000,
  CreateTicketKey1796100010000,
  CheckAdmission1796100020000,
  CreatePacketBatch1796150000000,
  LetFindingsHaveOwners1796200000000,
  CreateClaimLog1796400000000,
  LetActivitiesLimitWins1796520000000,
  CreateWinCount1796520010000,
  CountBatches1796530000000,
  FillBatchCounts1796530010000,
  CreateBudget1796540000000,
  LetActivitiesHaveLooks1796550000000,
  LetActivitiesShowLuck1796560000000,
  LetChannelsHoldPayments1796570000000,
  IndexSentPayouts1796570010000,
  IndexTicketKeys1796580000000,
  IndexAuditLog1796580010000,
  IndexPayoutsGivenBack1796580020000,
  IndexFindingsByPayout1796590000000,
  IndexListsOfStaff1796600000000,
  IndexPacedBatches1796600010000,
  IndexPendingApprovals1796600020000,
  LetLinesBeFindings1796600030000,
  LetUsersBeInTrouble1796700000000,
  LetChannelsCountRefusals1796700010000,
  IndexUsersInTrouble1796700020000,
  KeepSumsOfChannelDays1796710000000,
  KeepSumsOfBudgetDays1796710010000,
  LetPayoutsNameClaims1796720000000,
  LetFindingsNameTheirFile1796730000000,
  IndexFindingsByFile1796730010000,
  GiveActivitiesAFormat1796740000000,
];
