/** Workflow code as a bad deployment has it: queues work, and every run throws what Temporal takes for a passing fault. */
export { agentQueue } from '../../workflows/agent-queue.ts'

export async function agentRun(): Promise<void> {
  throw new TypeError('a mistake in the workflow code')
}
