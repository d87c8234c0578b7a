import { defineProblem } from '../../../libs/problem';

export const nothingToExport = defineProblem({
  code: 'export.play_money',
  status: 409,
  title: 'Play money is not exported',
});
