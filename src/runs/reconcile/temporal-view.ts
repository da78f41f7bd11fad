import type { Temporal } from '../../temporal/temporal.ts'
import type { Workers } from '../../temporal/workers.ts'
import type { TemporalState } from './diagnose.ts'
import type { AgentFacts } from './facts.ts'

/** Reads an agent's state from Temporal. Throws if Temporal is away. */
export function createTemporalView({ temporal, workers }: { temporal: Temporal; workers: Pick<Workers, 'presence'> }) {
  const { inspection } = temporal

  /** Temporal counts a frozen worker as polling for a minute or more. The worker's own presence ends sooner. */
  async function polls() {
    const [found, { present }] = await Promise.all([inspection.polls(), workers.presence()])
    return { ...found, isPolled: found.isPolled && present }
  }

  return {
    async read({ agent, head }: AgentFacts): Promise<TemporalState> {
      const [queue, workflow] = await Promise.all([
        inspection.queue(agent.id),
        head ? inspection.run(head.id) : Promise.resolve(null),
      ])
      const endedBy = head && !workflow ? await inspection.endOf(head.id, head.epoch) : null
      return { queue, workflow, endedBy, polls: await polls() }
    },
  }
}
