import { createHash } from 'node:crypto'
import { runPage } from '../../src/console-pages.ts'
import type { FilledAgent } from './agents.ts'
import type { Add } from './columns.ts'
import type { Past } from './ending.ts'
import { timeOf } from './ids.ts'
import type { FilledRun } from './filled-run.ts'

/** One month's grant to an owner. */
export const grantCredits = 1_000_000

/** The body hash of every delivery that has a key. */
export const bodyHashOfKeys = createHash('sha256').update('the body').digest('hex')

/** A `bytea` in COPY's format. */
const bodyHash = `\\\\x${bodyHashOfKeys}`

/** The rows beside runs: delivery keys, callbacks, notifications, fires, and the ledger. */
export function createSideRows({ add, newId, from }: Context) {
  const balances = new Map<string, number>()
  let month = ''

  function entry(ownerId: string, at: number, credits: number, rest: object): void {
    const balance = (balances.get(ownerId) ?? 0) + credits
    balances.set(ownerId, balance)
    const row = { id: newId(at), owner_id: ownerId, credits, balance_after: balance, created_at: timeOf(at) }
    add('ledger_entries', { ...row, ...rest })
  }

  function callback({ id: runId, agent }: FilledRun, end: number): void {
    const id = newId(end)
    const isLost = agent.lastSequence % 20_000 === 0
    const ended = timeOf(end + 300)
    const whose = { id, agent_id: agent.id, owner_id: agent.ownerId, run_id: runId, url: 'https://example.com/ended' }
    const times = { created_at: timeOf(end), give_up_at: timeOf(end + 86_400_000), ended_at: ended }
    add('callbacks', { ...whose, ...times, attempts: 1, tries: 1, status: isLost ? 'failed' : 'delivered' })
    const outcome = isLost
      ? 'The receiver responded with 410, so no more attempts will be made.'
      : 'The receiver responded with 200.'
    const facts = { callback_id: id, attempt: 1, latency_ms: 120, at: ended, outcome }
    add('callback_attempts', { ...facts, http_status: isLost ? 410 : 200 })
  }

  function failing({ id, agent, sequence }: FilledRun, end: number): void {
    add('notifications', {
      id: newId(end),
      owner_id: agent.ownerId,
      subject_id: agent.id,
      created_at: timeOf(end),
      kind: 'agent_failing',
      dedupe_key: id,
      mail_status: 'none',
      console_page: runPage(id),
      title: 'A run failed',
      message: `Run ${sequence} of the agent failed. See GET /runs/${id}/events.`,
    })
  }

  function fire({ id, agent, at }: FilledRun, { reason }: Past): void {
    const facts = {
      agent_id: agent.id,
      owner_id: agent.ownerId,
      run_id: id,
      nominal_at: timeOf(at),
      recorded_at: timeOf(at),
    }
    const skipped = reason === 'OVERLAP'
    add('schedule_fires', { ...facts, outcome: skipped ? 'skipped' : 'ran', reason: skipped ? 'OVERLAP' : null })
  }

  return {
    balances,

    /** The first run of a month makes the grants of all owners. */
    grant(at: number, agents: FilledAgent[]): void {
      const now = timeOf(at).slice(0, 7)
      if (now === month) return
      month = now
      const period = `${now}/enterprise`
      for (const ownerId of new Set(agents.map((agent) => agent.ownerId))) {
        entry(ownerId, at, grantCredits, { kind: 'grant', period })
      }
    },

    /** The charge for a step of a run. */
    charge: ({ id, agent, at }: FilledRun, step: number): void =>
      entry(agent.ownerId, at + 1000 * step, -1, { kind: 'step', run_id: id, step }),

    /** Every fourth delivery has a key. */
    key({ id, agent, trigger, number }: FilledRun): void {
      if (trigger !== 'webhook' || number % 4 !== 0) return
      add('idempotency_keys', { agent_id: agent.id, run_id: id, key: `evt_${id.slice(-18)}`, body_hash: bodyHash })
    },

    /** Only the last fifth of the time has callbacks and fires, as if nobody had used them before. */
    ended(run: FilledRun, past: Past, end: number): void {
      if (past.status === 'failed' && (run.sequence % 10 === 0 || run.agent.role === 'former')) failing(run, end)
      if (run.at < from) return
      if (run.agent.hasCallbacks) callback(run, end)
      if (run.trigger === 'scheduled' && run.agent.trigger === 'scheduled') fire(run, past)
    },
  }
}

interface Context {
  add: Add
  newId: (ms: number) => string
  from: number
}
