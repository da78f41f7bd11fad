import type { Clock } from '../clock.ts'
import { retryWhileUnavailable, violatedConstraint, type Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { CallOutcome } from './call-site.ts'
import { freesKey } from './direct-call.ts'
import type { Ledger, Sending } from './sender.ts'
import { DirectToolCall, recordedResult } from './tool-call.ts'

export function createDirectCallRows({ database, clock }: { database: Database; clock: Clock }) {
  /**
   * The call's row. The first attempt inserts it, so a call that is rejected earlier leaves no row. Each attempt starts
   * in a transaction, so nothing is sent for a caller who lost the permission.
   */
  function ledgerOf(row: DirectRow): DirectLedger {
    let attempts = 0
    let refused: number | null = null
    return {
      attempts: () => attempts,
      refused: () => refused,
      onRefreshed: async () => {},
      async onRefused(_outcome, refusedGeneration) {
        await DirectToolCall.query(database).findById(row.id).patch({ refusedAttempts: attempts, refusedGeneration })
        refused = refusedGeneration
      },
      async begin() {
        const now = clock.now()
        if (attempts === 0 && !(await isFirst({ ...row, plannedAt: now, startedAt: now }))) return false
        attempts += 1
        if (attempts > 1)
          await database.transaction(async (trx) => DirectToolCall.query(trx).findById(row.id).patch({ attempts }))
        return true
      },
    }
  }

  async function isFirst(row: Partial<DirectToolCall>): Promise<boolean> {
    try {
      await database.transaction(async (trx) => DirectToolCall.query(trx).insert(row))
      return true
    } catch (error) {
      if (violatedConstraint(error) === 'direct_tool_calls_key') return false
      throw error
    }
  }

  async function recordOutcome(row: DirectRow, status: DirectToolCall['status'], outcome: CallOutcome): Promise<void> {
    const { httpStatus } = outcome
    const freed = freesKey(status, row.effect, outcome) && { idempotencyKey: null }
    const changes = { status, httpStatus, result: recordedResult(outcome), endedAt: clock.now(), ...freed }
    const work = async () => void (await DirectToolCall.query(database).findById(row.id).patch(changes))
    await retryWhileUnavailable(work)
  }

  /** An unsent call has a row too, so its answer names a call that can be looked up. */
  async function recordUnsent(row: DirectRow, result: string): Promise<void> {
    const now = clock.now()
    const times = { plannedAt: now, startedAt: now, endedAt: now }
    // Refusals are free for clients, so large arguments of unsent calls are not kept.
    const args = row.arguments.length > keptUnsent ? '{}' : row.arguments
    const unsent = {
      ...row,
      ...times,
      arguments: args,
      status: 'failed' as const,
      attempts: 0,
      result,
      idempotencyKey: null,
    }
    await DirectToolCall.query(database).insert(unsent)
  }

  return { ledgerOf, recordOutcome, recordUnsent }
}

const keptUnsent = 1024

export type DirectLedger = Ledger & { attempts: () => number; refused: () => number | null }

export type DirectRow = ReturnType<typeof directRow>

export function directRow(
  entry: VaultEntry,
  tool: { name: string; effect: DirectToolCall['effect'] },
  { args, idempotencyKey = null }: { args: string; idempotencyKey?: string | null | undefined },
) {
  const id = newId()
  return {
    id,
    ownerId: entry.ownerId,
    vaultEntryId: entry.id,
    siteOrigin: entry.origin,
    tool: tool.name,
    effect: tool.effect,
    arguments: args,
    idempotencyKey,
    status: 'started' as const,
    attempts: 1,
  }
}

export const toSending = (row: DirectRow, secrets: readonly string[]): Sending => ({
  callId: row.id,
  ownerId: row.ownerId,
  entryId: row.vaultEntryId,
  tool: row.tool,
  arguments: row.arguments,
  idempotencyKey: `direct:${row.id}`,
  share: `${row.ownerId}/direct`,
  mayWait: false,
  refusedGeneration: null,
  secrets,
})
