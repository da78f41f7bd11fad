import type { Transaction } from '../database/database.ts'
import { Agent } from '../agents/agent.ts'
import { restartVersions } from '../agents/agent-version.ts'
import { newCallbackSecret, newWebhookSecret } from '../agents/new-secrets.ts'
import { paidWith } from '../owners/payer.ts'
import { endApps } from '../apps/connected-app.ts'
import type { Due } from '../runs/due.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { endSessions } from '../sessions/session.ts'
import { sealCredential } from '../vault/credential.ts'
import { VaultEntry } from '../vault/vault-entry.ts'
import { Workspace } from '../workspaces/workspace.ts'
import { ApiKey } from './api-key.ts'
import { endLogins } from './login.ts'
import { SecondFactor } from './second-factor.ts'

const disconnected = "The site was connected before the account's email address was verified. Connect the site again."

interface Reclaim {
  userId: string
  now: Date
  due: Pick<Due, 'owner'>
  sealing: Sealing
}

/**
 * For an account whose address was never verified: its creator may have used another person's address. Removes
 * everything that would let the creator get in, learn from it, or lock the owner out: second factor, keys, webhook
 * secrets, callback URLs, site credentials, and all other workspace members. Pauses its agents. The caller has locked
 * the user's row.
 */
export async function reclaimAccount(trx: Transaction, { userId, now, due, sealing }: Reclaim): Promise<void> {
  await SecondFactor.query(trx).where({ userId }).delete()
  await ApiKey.query(trx).where({ userId }).whereNull('revokedAt').patch({ revokedAt: now })
  await endApps(trx, { userId })
  await stopAgents(trx, { userId, now, sealing })
  await disconnect(trx, { userId, now, sealing })
  const workspaces = await Workspace.query(trx).where({ payerId: userId }).whereNull('deletedAt').orderBy('id')
  for (const { id } of workspaces) await emptyOfOthers(trx, id, { userId, now })
  await due.owner(trx, userId)
}

/**
 * Replaces the agents' secrets: with the old ones, the creator could start runs and sign as the platform. Old versions
 * are deleted, because restoring one would restore its callback URL.
 */
async function stopAgents(trx: Transaction, { userId, now, sealing }: Omit<Reclaim, 'due'>): Promise<void> {
  const agents = await Agent.query(trx)
    .whereIn('ownerId', paidWith(userId))
    .whereNull('deletedAt')
    .orderBy('id')
    .forUpdate()
  for (const agent of agents) {
    const { id, pausedAt, callbackSecret } = agent
    const version = await restartVersions(trx, agent, now)
    await Agent.query(trx)
      .findById(id)
      .patch({
        version,
        pausedAt: pausedAt ?? now,
        webhookSecret: newWebhookSecret(sealing, id),
        previousWebhookSecret: null,
        previousWebhookSecretUntil: null,
        callbackUrl: null,
        callbackSecret: callbackSecret === null ? null : newCallbackSecret(sealing, id),
        updatedAt: now,
      })
  }
}

async function disconnect(trx: Transaction, { userId, now, sealing }: Omit<Reclaim, 'due'>): Promise<void> {
  const entries = await VaultEntry.query(trx).whereIn('ownerId', paidWith(userId)).orderBy('id').forUpdate()
  for (const entry of entries) {
    const { id, authType, generation } = entry
    await entry.$query(trx).patch({
      credential: sealCredential(sealing, { id, authType }, { accessToken: '' }),
      // A refresh in progress must not restore the old one.
      generation: generation + 1,
      status: 'needs_reauth',
      statusReason: disconnected,
      expiresAt: null,
      refreshAfter: null,
      updatedAt: now,
    })
  }
}

async function emptyOfOthers(trx: Transaction, workspaceId: string, by: { userId: string; now: Date }): Promise<void> {
  const { userId, now } = by
  await trx('members').where({ workspaceId }).whereNot({ userId }).delete()
  await trx('invitations').where({ workspaceId, endedAt: null }).update({ endedAt: now })
  await trx('workspace_providers').where({ workspaceId }).delete()
  await ApiKey.query(trx).where({ workspaceId }).whereNull('revokedAt').patch({ revokedAt: now })
  await endApps(trx, { workspaceId })
  await endLogins(trx, { workspaceId }, { now })
  await endSessions(trx, { ownerId: workspaceId }, now)
}
