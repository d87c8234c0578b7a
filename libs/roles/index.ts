export { parseRoleNames, roleIn, type RoleNaming } from './role-claim';
export { isRole, isStaff, type Right, type Role, ROLES, rolesWith } from './roles';
