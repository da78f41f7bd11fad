export { agentQueue } from './agent-queue.ts'
export { agentRun } from './agent-run.ts'
export { cronTick } from './cron-tick.ts'
