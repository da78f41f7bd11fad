import { newId } from '../../src/ids.ts'
import { inTurn, simple, type Operation } from './operation.ts'
import type { MeasuredAgent, Side } from './side.ts'
import type { Role } from '../fill/agents.ts'
import { bodyHashOfKeys } from '../fill/side-rows.ts'

const payload = JSON.stringify({ event: 'order.paid', number: 1, note: 'x'.repeat(270) })

const delivery = (agentId: string) => ({
  agentId,
  trigger: 'webhook' as const,
  requestId: newId(),
  payload,
  idempotencyKey: newId(),
  bodyHash: 'a1'.repeat(32),
})

const agentOf = (side: Side, role: Role, turn: number): MeasuredAgent => inTurn(side.agentsOf(role), turn)

/** One run of an agent, from its delivery to its end, without Temporal between the steps. */
function wholeRun(role: Role, failed = false): Operation {
  const of = failed ? `${role}, failing` : role
  return {
    names: ['accept', 'claim', 'model step', 'end'].map((part) => `${part}: ${of}`),
    async run(side, turn, time) {
      const { accept, queue, steps, ending } = side.services.runs
      const agent = agentOf(side, role, turn)
      await time(`accept: ${of}`, () => accept.one(delivery(agent.id)))
      const claimed = await time(`claim: ${of}`, () => queue.claimNext(agent.id, 'bench'))
      if (!claimed) throw new Error('there was nothing to claim')
      const { signal } = new AbortController()
      const move = await time(`model step: ${of}`, () => steps.advance(claimed, signal))
      if (move.kind !== 'end') throw new Error('the demo model did not end')
      const end = failed ? ({ status: 'failed', reason: 'MODEL_ERROR' } as const) : move
      await time(`end: ${of}`, () => ending.end({ ...claimed, agentId: agent.id }, end))
    },
  }
}

/** The writes of senders, owners and workers. */
export const writes: Operation[] = [
  simple('accept a repeated delivery', ({ services, keys }, turn) => {
    const { agentId, key } = inTurn(keys, turn)
    return services.runs.accept.known({ ...delivery(agentId), idempotencyKey: key, bodyHash: bodyHashOfKeys })
  }),
  wholeRun('biggest'),
  wholeRun('biggest', true),
  wholeRun('short queue'),
  wholeRun('long queue'),
  {
    names: ['accept 50 at once, of 50 agents'],
    async run(side, _turn, time) {
      const agents = side.agentsOf('ordinary').slice(0, 50)
      const { accept } = side.services.runs
      await time('accept 50 at once, of 50 agents', () => Promise.all(agents.map(({ id }) => accept.one(delivery(id)))))
    },
  },
  {
    names: ['cancel a queued run'],
    async run(side, turn, time) {
      const agent = agentOf(side, 'ordinary', 100 + turn)
      const { accept, ending, reading } = side.services.runs
      const { runId } = await accept.one(delivery(agent.id))
      const run = await reading.get(agent.ownerId, runId)
      await time('cancel a queued run', () => ending.cancel(run))
    },
  },
]
