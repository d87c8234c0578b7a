export { eachInTurn } from './each-in-turn';
export { ScheduleModule } from './schedule.module';
export { definedTasks, Repeats } from './task-catalog';
