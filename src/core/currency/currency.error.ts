import { defineProblem } from '../../../libs/problem';

export const currencyExists = defineProblem({
  code: 'currency.exists',
  status: 409,
  title: 'The currency already exists',
});

export const tooManyCurrencies = defineProblem({
  code: 'currency.too_many',
  status: 409,
  title: 'There are too many currencies',
});
