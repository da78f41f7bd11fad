import type { Database, Transaction } from '../database/database.ts'
import { fromColumn } from '../database/any-text.ts'
import { Row, selecting } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import { AgentPrompt, promptFields } from './agent-prompt.ts'
import { promptInForce, type PromptInForce } from './queue/prompt-in-force.ts'
import type { Run } from './run.ts'

/** A run's input (table `run_inputs`, partitioned by `runId`). Insert-only. */
export class RunInput extends Row {
  static override tableName = 'run_inputs'
  static override idColumn = 'runId'
  static override jsonAttributes = ['headers']
  static override anyTexts = ['action']
  declare runId: string
  /**
   * The payload as received, or the JSON text (object or string) of a manual run's input. Stored as text, because
   * `jsonb` rejects U+0000, rounds numbers and drops repeated members.
   */
  declare payload: string
  /** The payload's `action`, which replaces the prompt if the agent allows it. */
  declare action: string | null
  /** The sender's headers about the payload that its preset keeps, if any. */
  declare headers: Record<string, string> | null
}

/** A run's input; undefined if it has none. */
export const inputOf = async (db: Database | Transaction, runId: string): Promise<RunInput | undefined> =>
  await RunInput.query(db).findById(runId)

/** The instructions in force when the run was claimed; null before that. */
export async function promptOf(
  db: Database | Transaction,
  { agentId, sequence, trigger, startedAt }: Pick<Run, 'agentId' | 'sequence' | 'trigger' | 'startedAt'>,
  input: Pick<RunInput, 'action'> | undefined,
): Promise<PromptInForce | null> {
  if (startedAt === null) return null
  const prompt = await latestPrompt(db, agentId).where('sinceSequence', '<=', sequence)
  return prompt ? promptInForce(trigger, input, prompt) : null
}

/** The input and the instructions of a run, in one round trip; undefined before it was claimed. */
export async function openingOf(
  db: Database,
  { id: runId, agentId, sequence, trigger, startedAt }: Run,
): Promise<{ input: OpeningInput | undefined; prompt: PromptInForce } | undefined> {
  const { rows } = await openingStatement(db, { runId, agentId, sequence })
  const [opening] = rows
  if (startedAt === null || !opening) return undefined
  const { payload, action, headers, ...prompt } = opening
  const input = payload === null ? undefined : { payload, action: action && fromColumn(action), headers }
  return { input, prompt: promptInForce(trigger, input, prompt) }
}

export type OpeningInput = Pick<RunInput, 'payload' | 'action' | 'headers'>

type Opening = Omit<AgentPrompt, keyof Row | 'agentId' | 'sinceSequence'> &
  Pick<RunInput, 'action' | 'headers'> & { payload: string | null }

const openingStatement = statement<Opening>(`
  select ${selecting(['payload', 'action', 'headers'], 'i')}, ${selecting(promptFields, 'p')}
    from agent_prompts p left join run_inputs i on i.run_id = :runId
   where p.agent_id = :agentId and p.since_sequence <= :sequence order by p.since_sequence desc limit 1`)

/** The instructions of the agent's latest run. */
export const latestPrompt = (db: Database | Transaction, agentId: string) =>
  AgentPrompt.query(db).where({ agentId }).orderBy('sinceSequence', 'desc').first()
