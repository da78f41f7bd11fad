import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { CodedError, ErrorDetail } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { keptHeaders } from './kept-headers.ts'
import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'

/** How many refused deliveries of an agent are kept. */
const kept = 20

/** How long a process collects refusals before it writes them, in milliseconds. */
const collectMs = 1000

/** Agents whose refusals a process collects at a time, about 8 KiB each at most. Those of further agents are lost. */
const mostAgents = 1000

/** The most reasons and the longest message of one refusal. */
const most = { reasons: 20, characters: 500 }

/** Every sender's headers about the format, kept beside those that its preset names. */
const formatHeaders = ['Content-Type', 'User-Agent']

/** A delivery that had proved its sender and was refused. */
interface RefusedDelivery {
  at: string
  code: string
  message: string
  /** Mismatches with the webhook schema, by JSON pointer (RFC 6901). */
  reasons: { pointer: string; message: string }[]
  headers: Record<string, string>
  /** Null if it was refused before its body was read. */
  bodyBytes: number | null
  /** Further deliveries that were refused before this one within the same second and are not kept. */
  others: number
}

interface ProofFailures {
  count: number
  lastAt: string
  lastAddress: string
}

export interface Refusals {
  items: RefusedDelivery[]
  proofFailures: ProofFailures | null
}

/** A refused delivery, as far as it was judged. */
interface Refused {
  agentId: string
  header: ReadHeader
  /** What its sender proved itself by. */
  preset: Preset
  bodyBytes: number | undefined
}

interface Pending {
  item: RefusedDelivery | null
  failures: ProofFailures | null
}

/**
 * Remembers why deliveries were refused. A process collects for a second and writes all of its agents with one statement,
 * so a refusal costs its request no query, and strangers cannot cause more writes. It keeps an agent's latest refusal of
 * that second, and counts the others. A killed process, or a write that fails, loses them.
 */
export function createRefusals(context: { database: Database; clock: Clock; logger: Logger }) {
  const { database, clock, logger } = context
  let pending = new Map<string, Pending>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function pendingOf(agentId: string): Pending | undefined {
    const found = pending.get(agentId)
    if (found || pending.size >= mostAgents) return found
    const added = { item: null, failures: null }
    pending.set(agentId, added)
    timer ??= setTimeout(() => void flush(), collectMs).unref()
    return added
  }

  /** One write at a time. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (pending.size === 0) return writing
    const batch = [...pending].map(([agentId, { item, failures }]) => ({ agentId, item, failures }))
    pending = new Map()
    writing = writing.then(() => write(batch))
    return writing
  }

  async function write(batch: object[]): Promise<void> {
    try {
      await database.raw(writeStatement, { batch: JSON.stringify(batch), kept })
    } catch (error) {
      logger.warn({ err: error }, 'failed to record refused deliveries')
    }
  }

  return {
    flush,

    /** Notes a delivery that had proved its sender. */
    note(refused: Refused, refusal: CodedError): void {
      const found = pendingOf(refused.agentId)
      if (!found) return
      const others = found.item ? found.item.others + 1 : 0
      found.item = { ...described(refused, refusal), at: clock.now().toISOString(), others }
    },

    /** Counts a failed proof. Nothing that its sender wrote is kept. */
    noteFailedProof({ agentId, address }: { agentId: string; address: string }): void {
      const found = pendingOf(agentId)
      if (!found) return
      const count = (found.failures?.count ?? 0) + 1
      found.failures = { count, lastAt: clock.now().toISOString(), lastAddress: address }
    },

    /** The latest refused deliveries of an agent, newest first, and its failed proofs. */
    async of(agentId: string, db: Database | Transaction = database): Promise<Refusals> {
      const { rows } = await db.raw<{ rows: Refusals[] }>(readStatement, { agentId })
      return rows[0] ?? { items: [], proofFailures: null }
    },
  }
}

export type RefusalsOfDeliveries = ReturnType<typeof createRefusals>

function described({ header, preset, bodyBytes }: Refused, { code, message, details }: CodedError) {
  const mismatches = code === 'WEBHOOK_PAYLOAD_INVALID' ? (details ?? []) : []
  const shown = { ...preset, infoHeaders: [...preset.infoHeaders, ...formatHeaders] }
  return {
    code,
    message: message.slice(0, most.characters),
    reasons: mismatches.slice(0, most.reasons).map(reasonOf),
    headers: keptHeaders(shown, header) ?? {},
    bodyBytes: bodyBytes ?? null,
  }
}

/** A webhook schema names members of the payload, so a path is one member's name. */
const reasonOf = ({ path, message }: ErrorDetail) => ({
  pointer: `/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  message: message.slice(0, most.characters),
})

/**
 * Ordered by agent, like all code that locks several. Locks each agent against its deletion and its move: what was refused
 * for a previous owner is not the present owner's.
 */
const writeStatement = `
  insert into refused_deliveries as known (agent_id, items, proof_failures)
  select a.id, case when b.item is null then '[]' else jsonb_build_array(b.item) end, b.failures
    from jsonb_to_recordset(:batch::jsonb) as b ("agentId" uuid, item jsonb, failures jsonb)
    join agents a on a.id = b."agentId"
   where a.deleted_at is null
     and (a.moved_at is null
          or least((b.item ->> 'at')::timestamptz, (b.failures ->> 'lastAt')::timestamptz) > a.moved_at)
   order by a.id for share of a
  on conflict (agent_id) do update set
    items = (select coalesce(jsonb_agg(e.item order by e.position), '[]')
               from jsonb_array_elements(excluded.items || known.items) with ordinality e (item, position)
              where e.position <= :kept),
    proof_failures = case
      when excluded.proof_failures is null then known.proof_failures
      else jsonb_set(excluded.proof_failures, '{count}', to_jsonb(
        (excluded.proof_failures ->> 'count')::bigint + coalesce((known.proof_failures ->> 'count')::bigint, 0))) end`

const readStatement = `
  select items, proof_failures as "proofFailures" from refused_deliveries where agent_id = :agentId`
