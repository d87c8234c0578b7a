export { parseRoleNames, roleIn, type RoleNaming, valueAt } from './role-claim';
export { isRole, isStaff, type Right, type Role, ROLES, rolesWith } from './roles';
