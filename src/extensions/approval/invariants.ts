import { type Invariant, ofLedger } from '../../core/reconciliation';

export const approvalInvariants: readonly Invariant[] = [
  ofLedger({
    id: 'I15',
    title:
      'every approved deed has happened once, as another person requested it, and no requested deposit or payout has happened without its approval',
    subject: 'approvals',
    sql: `
      select count(*) as examined,
             count(*) filter (where decided_by = asked_by
                                 or case when approval.status = 'approved'
                                         then (transfer.amount_minor, debit.currency, approved_in,
                                               coalesce(wallet.owner_id, addition.activity_id::text, subject_id))
                                              is distinct from
                                              (approval.amount_minor, coalesce(approval.currency, unnamed.code),
                                               approval.currency, subject_id)
                                         else action in ('wallet.deposit', 'payout.reserve') and transfer.id is not null end)
             + count(*) filter (where approval.status = 'approved')
             - count(distinct (action, coalesce(result_id, approval.source_id)))
                 filter (where approval.status = 'approved') as breaches
        from (select * from approval where action <> 'user.erase') as approval
        left join transfer on transfer.source_id = coalesce(result_id, approval.source_id)
                          and transfer.kind = case action when 'wallet.deposit' then 'deposit'
                                                          when 'wallet.reverse-deposit' then 'reversal'
                                                          when 'dead-letter.void' then 'void'
                                                          when 'activity.create' then 'fund'
                                                          when 'activity.top-up' then 'top-up'
                                                          when 'payout.reserve' then 'payout'
                                                          else 'payout-' || (terms->>'outcome') end
                          and (result_id is not null or action not in ('activity.create', 'activity.top-up'))
        left join account debit on debit.id = transfer.debit_account_id
        left join currency unnamed on unnamed.number = 0
        left join top_up addition on addition.id = result_id and action = 'activity.top-up'
        left join account wallet on wallet.id = case action when 'wallet.deposit' then credit_account_id
                                                            when 'wallet.reverse-deposit' then debit_account_id
                                                            when 'activity.create' then debit_account_id end`,
  }),
];
