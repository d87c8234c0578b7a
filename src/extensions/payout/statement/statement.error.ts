import { defineProblem } from '../../../../libs/problem';

export const statementDayOpen = defineProblem({
  code: 'payout_statement.day_not_over',
  status: 409,
  title: 'The day of the file is not over',
});

export const statementMalformed = defineProblem({
  code: 'payout_statement.malformed',
  status: 422,
  title: 'A line of the file cannot be read',
});

export const statementNotFound = defineProblem({
  code: 'payout_statement.not_found',
  status: 404,
  title: 'File not found',
});

export const statementSuperseded = defineProblem({
  code: 'payout_statement.superseded',
  status: 409,
  title: 'The file of the day was handed in again in the meantime',
});

export const statementTooWrong = defineProblem({
  code: 'payout_statement.too_wrong',
  status: 422,
  title: 'Too many lines of the file differ from our books',
});
