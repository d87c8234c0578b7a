import { defineProblem } from '../../../libs/problem';

export const dayNotOver = defineProblem({
  code: 'statement.day_not_over',
  status: 409,
  title: 'The day is not over',
});

export const statementNotFound = defineProblem({
  code: 'statement.not_found',
  status: 404,
  title: 'The wallet did not exist on that day',
});

export const statementOfPlayMoney = defineProblem({
  code: 'statement.play_money',
  status: 409,
  title: 'Statements do not include play money',
});

export const dayArchived = defineProblem({
  code: 'statement.archived',
  status: 409,
  title: 'Movements of that time may have been archived before the statement was issued',
});

export const dayTooFar = defineProblem({
  code: 'statement.too_far',
  status: 409,
  title: 'Too many movements lie after that day',
});

export const dayTooLong = defineProblem({
  code: 'statement.too_long',
  status: 409,
  title: 'The day has too many movements for a statement',
});
