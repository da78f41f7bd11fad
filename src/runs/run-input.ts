import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { AgentPrompt } from './agent-prompt.ts'
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

/** The instructions of the agent's latest run. */
export const latestPrompt = (db: Database | Transaction, agentId: string) =>
  AgentPrompt.query(db).where({ agentId }).orderBy('sinceSequence', 'desc').first()
