import type { Transaction } from '../database/database.ts'
import { Agent } from '../agents/agent.ts'
import { newCallbackSecret, newWebhookSecret } from '../agents/new-secrets.ts'
import { paidWith } from '../owners/payer.ts'
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

interface TakenBack {
  userId: string
  now: Date
  due: Pick<Due, 'owner'>
  sealing: Sealing
}

/**
 * Nobody has shown to read mails to the account's address before: whoever has made the account may have taken somebody
 * else's. What they would still get in by, keep its owner out by, or learn from goes: the second factor, keys, secrets of
 * webhooks, callback addresses, credentials of sites, and everybody else in its workspaces. Its agents are paused. The caller has locked the
 * user's row.
 */
export async function takeBack(trx: Transaction, { userId, now, due, sealing }: TakenBack): Promise<void> {
  await SecondFactor.query(trx).where({ userId }).delete()
  await ApiKey.query(trx).where({ userId }).whereNull('revokedAt').patch({ revokedAt: now })
  await stopAgents(trx, { userId, now, sealing })
  await disconnect(trx, { userId, now, sealing })
  const workspaces = await Workspace.query(trx).where({ payerId: userId }).whereNull('deletedAt').orderBy('id')
  for (const { id } of workspaces) await emptyOfOthers(trx, id, { userId, now })
  await due.owner(trx, userId)
}

/** Their secrets are new: whoever has made the account would start runs with the old ones, and sign as the platform. */
async function stopAgents(trx: Transaction, { userId, now, sealing }: Omit<TakenBack, 'due'>): Promise<void> {
  const agents = await Agent.query(trx)
    .whereIn('ownerId', paidWith(userId))
    .whereNull('deletedAt')
    .orderBy('id')
    .forUpdate()
  for (const { id, pausedAt, callbackSecret } of agents)
    await Agent.query(trx)
      .findById(id)
      .patch({
        pausedAt: pausedAt ?? now,
        webhookSecret: newWebhookSecret(sealing, id),
        previousWebhookSecret: null,
        previousWebhookSecretUntil: null,
        callbackUrl: null,
        callbackSecret: callbackSecret === null ? null : newCallbackSecret(sealing, id),
        updatedAt: now,
      })
}

async function disconnect(trx: Transaction, { userId, now, sealing }: Omit<TakenBack, 'due'>): Promise<void> {
  const entries = await VaultEntry.query(trx).whereIn('ownerId', paidWith(userId)).orderBy('id').forUpdate()
  for (const entry of entries) {
    const { id, authType, generation } = entry
    await entry.$query(trx).patch({
      credential: sealCredential(sealing, { id, authType }, { accessToken: '' }),
      // A refresh that is in progress must not bring the old one back.
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
  await endLogins(trx, { workspaceId }, { now })
  await endSessions(trx, { ownerId: workspaceId }, now)
}
