import type { startChatServer } from '../../test/helpers/chat-server.ts'
import { eventually } from '../../test/helpers/eventually.ts'
import { deliver } from '../../test/helpers/people.ts'
import type { BenchServers } from '../shared/servers.ts'
import { allCompleted } from './completed.ts'
import { openQueues } from './queue.ts'

type Model = Pick<Awaited<ReturnType<typeof startChatServer>>, 'exchanges'>

/** Deliveries to idle agents, one at a time. The model is in this process, so both of its clocks are the same. */
export async function openDispatch(servers: BenchServers, model: Model) {
  const queues = await openQueues(servers)
  const fromAnswer: number[] = []
  return {
    /** Milliseconds from the answer to each delivery until the request at the model, of all measurements so far. */
    fromAnswer,
    /** Milliseconds from sending each delivery until the request at the model. */
    async measure(count: number): Promise<number[]> {
      const times: number[] = []
      for (const agent of await queues.agents(count)) {
        const before = model.exchanges.length
        const sent = performance.now()
        const { body } = await deliver(servers, agent, { number: 1 })
        const answered = performance.now()
        // Asking the database meanwhile would take processor time from the run.
        await eventually(60, 'the model is asked', () => model.exchanges.length > before || undefined)
        await allCompleted(servers.database, [body.runId])
        const { arrived } = model.exchanges.at(-1) ?? { arrived: Number.NaN }
        times.push(arrived - sent)
        fromAnswer.push(arrived - answered)
      }
      return times
    },
  }
}
