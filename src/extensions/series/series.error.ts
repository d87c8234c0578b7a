import { defineProblem } from '../../../libs/problem';

export const seriesNotFound = defineProblem({
  code: 'series.not_found',
  status: 404,
  title: 'Series not found',
});

export const noSuchSeries = (id: string): Error => seriesNotFound(`There is no series ${id}.`);

export const seriesEnded = defineProblem({
  code: 'series.ended',
  status: 409,
  title: 'The series has ended',
});

export const tooManySeries = defineProblem({
  code: 'series.too_many',
  status: 409,
  title: 'The sponsor has too many series',
});
