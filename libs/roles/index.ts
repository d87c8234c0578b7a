export { isRole, isStaff, type Right, type Role, ROLES, rolesWith } from './roles';
