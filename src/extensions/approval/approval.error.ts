import { defineProblem } from '../../../libs/problem';

export const approvalNotFound = defineProblem({
  code: 'approval.not_found',
  status: 404,
  title: 'Approval not found',
});

export const ownApproval = defineProblem({
  code: 'approval.own',
  status: 403,
  title: 'Another person has to decide',
});

export const approvalNotPending = defineProblem({
  code: 'approval.not_pending',
  status: 409,
  title: 'The approval is no longer pending',
});
