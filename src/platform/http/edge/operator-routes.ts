/** Clients need the page of problems, so it stays on their port. */
const OPERATOR_ROUTE =
  /^\/(console|metrics|queues|openapi(-3\.0)?\.json|asyncapi\.json|docs(?!\/errors$))(\/|$)/;

/** @param route as it is registered; undefined for a path that has none */
export const isForOperators = (route = ''): boolean => OPERATOR_ROUTE.test(route);
