import { isRole, isStaff, rightsOf, ROLES, rolesWith } from './roles';

const staff = ROLES.filter(isStaff);

it('staff are operators and their three parts, and no other role', () => {
  expect(staff).toEqual(['operator', 'campaign', 'finance', 'support']);
});

it('no staff role can win packets or report for a channel', () => {
  for (const right of ['play', 'report-payouts'] as const)
    expect(rolesWith(right).filter(isStaff)).toEqual([]);
});

it('an operator may do whatever other staff may, and only operators may change where messages go', () => {
  const rights = rightsOf('operator');
  const others = staff.filter((role) => role !== 'operator');
  expect(rights).toEqual(expect.arrayContaining(others.flatMap(rightsOf)));
  const alone = rights.filter((right) => others.every((role) => !rightsOf(role).includes(right)));
  expect(alone).toEqual(['administer']);
});

it('a channel reads its waiting payouts and reports their outcome, and a server may do what a user may', () => {
  expect(rightsOf('channel')).toEqual(['read-waiting', 'report-payouts']);
  expect(rightsOf('server')).toEqual(rightsOf('user'));
  expect(rightsOf('user')).toEqual(['play', 'read', 'sponsor']);
});

it.each([
  ['campaign', ['read', 'sponsor', 'schedule', 'rehearse', 'read-own-requests']],
  ['finance', ['read', 'inspect', 'read-own-requests', 'manage-money', 'read-waiting']],
  ['support', ['read', 'inspect', 'read-own-requests', 'read-waiting']],
] as const)('the staff role %s has only the rights for its work', (role, rights) => {
  expect(rightsOf(role)).toEqual(rights);
});

it.each(['admin', 'Operator', 'operator ', '', undefined, null, 0, ['operator'], 'constructor'])(
  '%j is not the name of a role',
  (value) => {
    expect([isRole(value), ROLES.every(isRole)]).toEqual([false, true]);
  },
);
