import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { AgentPrompt } from './agent-prompt.ts'
import { promptInForce, type PromptInForce } from './queue/prompt-in-force.ts'
import type { Run } from './run.ts'

/** What a run was given (table `run_inputs`, partitioned by `runId`). Written once, and never changed. */
export class RunInput extends Row {
  static override tableName = 'run_inputs'
  static override idColumn = 'runId'
  static override jsonAttributes = ['headers']
  static override anyTexts = ['action']
  declare runId: string
  /**
   * The payload as received, or the JSON text of a manual run's input: an object, or a string. A text, because `jsonb`
   * refuses U+0000, rounds numbers, and drops members that are repeated.
   */
  declare payload: string
  /** The `action` of a delivery's payload: it takes the place of the prompt if the agent allows that. */
  declare action: string | null
  /** What the sender said about it in headers (those that its preset keeps), if anything. */
  declare headers: Record<string, string> | null
}

/** What the run was given; undefined if it was started without anything. */
export const inputOf = async (db: Database | Transaction, runId: string): Promise<RunInput | undefined> =>
  await RunInput.query(db).findById(runId)

/** The instructions that were in force when the run was claimed; null if it has not been. */
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
