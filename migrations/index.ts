import { CreateBaseline1795847537000 } from './1795847537000-create-baseline';
import { LetTransfersReverseDeposits1795866000000 } from './1795866000000-let-transfers-reverse-deposits';
import { LetApprovalsAskForReversals1795866100000 } from './1795866100000-let-approvals-ask-for-reversals';
import { ValidateReversals1795866200000 } from './1795866200000-validate-reversals';
import { LetRejectionsHaveReasons1795875000000 } from './1795875000000-let-rejections-have-reasons';
import { IndexApprovalsByAsker1795875010000 } from './1795875010000-index-approvals-by-asker';
import { IndexAuditLogForPeople1795875020000 } from './1795875020000-index-audit-log-for-people';
import { LetActivitiesBeExtended1795880000000 } from './1795880000000-let-activities-be-extended';
import { KeepTapsByMinute1795897900000 } from './1795897900000-keep-taps-by-minute';
import { IndexWalletsForPeople1795899000000 } from './1795899000000-index-wallets-for-people';
import { KeepAttemptsAtWebhooks1795899500000 } from './1795899500000-keep-attempts-at-webhooks';
import { NumberCurrencies1795900000000 } from './1795900000000-number-currencies';
import { KeepTransfersInACurrency1795900010000 } from './1795900010000-keep-transfers-in-a-currency';
import { LetActivitiesHaveCurrencies1795900020000 } from './1795900020000-let-activities-have-currencies';
import { LetApprovalsHaveCurrencies1795900030000 } from './1795900030000-let-approvals-have-currencies';
import { LetSoloDeedsHaveCurrencies1795900040000 } from './1795900040000-let-solo-deeds-have-currencies';
import { ValidateCurrencies1795900050000 } from './1795900050000-validate-currencies';
import { CountCallsInACurrency1795900060000 } from './1795900060000-count-calls-in-a-currency';
import { ValidateCallsInACurrency1795900070000 } from './1795900070000-validate-calls-in-a-currency';
import { CreateCodePools1795910000000 } from './1795910000000-create-code-pools';
import { KeepRehearsalReports1795920000000 } from './1795920000000-keep-rehearsal-reports';
import { LetActivitiesHaveAudiences1795930000000 } from './1795930000000-let-activities-have-audiences';
import { IndexPublicActivities1795930010000 } from './1795930010000-index-public-activities';
import { CreateAudiences1795930020000 } from './1795930020000-create-audiences';
import { CreateThanks1795940000000 } from './1795940000000-create-thanks';
import { KeepReceivedTotals1795940010000 } from './1795940010000-keep-received-totals';
import { CountWhatUsersSend1795940020000 } from './1795940020000-count-what-users-send';
import { CreateSeries1795950000000 } from './1795950000000-create-series';
import { KeepSeedCommitments1795960000000 } from './1795960000000-keep-seed-commitments';
import { LetPeopleBeForgotten1795970000000 } from './1795970000000-let-people-be-forgotten';
import { LetApprovalsAskForErasures1795970010000 } from './1795970010000-let-approvals-ask-for-erasures';
import { ValidateErasures1795970020000 } from './1795970020000-validate-erasures';
import { CreateStatements1795980000000 } from './1795980000000-create-statements';
import { KeepCosignatures1795985000000 } from './1795985000000-keep-cosignatures';
import { LetErasuresBeWithdrawn1795990000000 } from './1795990000000-let-erasures-be-withdrawn';
import { ValidateWithdrawnErasures1795990010000 } from './1795990010000-validate-withdrawn-erasures';
import { IndexCodesByWinner1795995000000 } from './1795995000000-index-codes-by-winner';
import { IndexThanksByMoment1795996000000 } from './1795996000000-index-thanks-by-moment';

/** All migrations, oldest first. A new one goes to the end and never changes once it has landed. */
export const migrations = [
  CreateBaseline1795847537000,
  LetTransfersReverseDeposits1795866000000,
  LetApprovalsAskForReversals1795866100000,
  ValidateReversals1795866200000,
  LetRejectionsHaveReasons1795875000000,
  IndexApprovalsByAsker1795875010000,
  IndexAuditLogForPeople1795875020000,
  LetActivitiesBeExtended1795880000000,
  KeepTapsByMinute1795897900000,
  IndexWalletsForPeople1795899000000,
  KeepAttemptsAtWebhooks1795899500000,
  NumberCurrencies1795900000000,
  KeepTransfersInACurrency1795900010000,
  LetActivitiesHaveCurrencies1795900020000,
  LetApprovalsHaveCurrencies1795900030000,
  LetSoloDeedsHaveCurrencies1795900040000,
  ValidateCurrencies1795900050000,
  CountCallsInACurrency1795900060000,
  ValidateCallsInACurrency1795900070000,
  CreateCodePools1795910000000,
  KeepRehearsalReports1795920000000,
  LetActivitiesHaveAudiences1795930000000,
  IndexPublicActivities1795930010000,
  CreateAudiences1795930020000,
  CreateThanks1795940000000,
  KeepReceivedTotals1795940010000,
  CountWhatUsersSend1795940020000,
  CreateSeries1795950000000,
  KeepSeedCommitments1795960000000,
  LetPeopleBeForgotten1795970000000,
  LetApprovalsAskForErasures1795970010000,
  ValidateErasures1795970020000,
  CreateStatements1795980000000,
  KeepCosignatures1795985000000,
  LetErasuresBeWithdrawn1795990000000,
  ValidateWithdrawnErasures1795990010000,
  IndexCodesByWinner1795995000000,
  IndexThanksByMoment1795996000000,
];
