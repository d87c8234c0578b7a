import { isRole, isStaff, rightsOf, ROLES, rolesWith } from './roles';

const staff = ROLES.filter(isStaff);

it('staff are operators and their three parts, and nobody else', () => {
  expect(staff).toEqual(['operator', 'campaign', 'finance', 'support']);
});

it('no staff win packets, and none of them speak for a channel', () => {
  for (const right of ['play', 'report-payouts'] as const)
    expect(rolesWith(right).filter(isStaff)).toEqual([]);
});

it('an operator may do what any other staff may, and the rights that only an operator has change where messages go', () => {
  const rights = rightsOf('operator');
  const others = staff.filter((role) => role !== 'operator');
  expect(rights).toEqual(expect.arrayContaining(others.flatMap(rightsOf)));
  const alone = rights.filter((right) => others.every((role) => !rightsOf(role).includes(right)));
  expect(alone).toEqual(['administer']);
});

it('a channel reads what waits for it and reports what became of that, and a server may do what a user may', () => {
  expect(rightsOf('channel')).toEqual(['read-waiting', 'report-payouts']);
  expect(rightsOf('server')).toEqual(rightsOf('user'));
  expect(rightsOf('user')).toEqual(['play', 'read', 'sponsor']);
});

it.each([
  ['campaign', ['read', 'sponsor']],
  ['finance', ['read', 'inspect', 'manage-money', 'read-waiting']],
  ['support', ['read', 'inspect', 'read-waiting']],
] as const)('the part of staff called %s has the rights of its work alone', (role, rights) => {
  expect(rightsOf(role)).toEqual(rights);
});

it.each(['admin', 'Operator', 'operator ', '', undefined, null, 0, ['operator'], 'constructor'])(
  '%j is the name of no role',
  (value) => {
    expect([isRole(value), ROLES.every(isRole)]).toEqual([false, true]);
  },
);
