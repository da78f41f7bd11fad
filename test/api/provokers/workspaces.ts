import * as agents from '../../../api/agents.ts'
import * as apiKeys from '../../../api/api-keys.ts'
import * as exports from '../../../api/exports.ts'
import * as invitations from '../../../api/invitations.ts'
import * as members from '../../../api/members.ts'
import * as transfers from '../../../api/transfers.ts'
import * as vault from '../../../api/vault.ts'
import * as workspaces from '../../../api/workspaces.ts'
import { newId } from '../../../src/ids.ts'
import { call, type Client } from '../../helpers/client.ts'
import { tokenTo } from '../../helpers/mailbox.ts'
import { customer, type Person } from '../../helpers/people.ts'
import { inviteTo, join, memberOf, userIdOf, verified, verify, workspaceOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function workspacesTable(
  { platform, owner, nobody: nobodyAtAll, params, sites }: Stage,
  { ask }: Recorder,
): Table {
  const { database } = platform.services
  const { workspaceId = '' } = params
  const ofOwner = { params: { workspaceId } }
  const member = async () => ({ workspaceId, userId: await userIdOf(await memberOf(platform, workspaceId, 'member')) })
  const owning = async () => ({ workspaceId, userId: await userIdOf(owner) })
  const nobody = { workspaceId, userId: newId() }
  const body = { role: 'viewer' } as const
  const unknown = `sy_join_${'a'.repeat(43)}`
  const invite = async (by: Client, to = workspaceId) => {
    await verify(platform, by)
    return ask(by, invitations.inviteMember, {
      params: { workspaceId: to },
      body: { email: `${newId()}@example.com`, role: 'member' },
    })
  }
  const preview = (token: string) => ask(nobodyAtAll, invitations.previewInvitation, { body: { token } })
  const accept = (by: Client, token: string) => ask(by, invitations.acceptInvitation, { body: { token } })

  /** Somebody with the token of an invitation, to a workspace in some state. */
  async function given(state?: 'expired' | 'full' | 'without a tier') {
    const payer = await customer(platform, 'team')
    const { id } = await workspaceOf(payer)
    const someone = await verified(platform)
    await inviteTo(platform, payer, id, { email: someone.email })
    const token = await tokenTo(platform, someone.email)
    if (state === 'expired') await database('invitations').where({ workspaceId: id }).update({ expiresAt: new Date() })
    if (state === 'full') for (let count = 0; count < 24; count += 1) await memberOf(platform, id, 'viewer')
    if (state === 'without a tier') {
      const ofPayer = database('accounts').where({ ownerId: await userIdOf(payer) })
      await ofPayer.update({ tier: 'free', currentPeriodEnd: null })
    }
    return { someone, token }
  }

  /** A workspace that is offered to somebody, whose account lacks something. */
  async function offered(taker: { tier?: string; limits?: object } = {}) {
    const payer = await customer(platform, 'team')
    const { id } = await workspaceOf(payer)
    const agent = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual', workspaceId: id } as const
    if (taker.limits) {
      await call(payer, agents.createAgent, { body: agent })
      await call(payer, vault.addToVault, {
        body: { url: sites.tracker.origin, token: sites.tracker.createToken('ada', 'admin'), workspaceId: id },
      })
    }
    const someone = await customer(platform, taker.tier ?? 'team')
    await verify(platform, someone)
    await join(platform, id, someone, 'member')
    const userId = await userIdOf(someone)
    if (taker.limits)
      await database('accounts')
        .where({ ownerId: userId })
        .update({ limits: JSON.stringify(taker.limits) })
    const answer = await offer(payer, id, userId)
    return { payer, someone, answer, params: { workspaceId: id } }
  }
  async function byKey(): Promise<Client> {
    const { body } = await call(owner, apiKeys.createApiKey, { body: { workspaceId, name: 'ci', scopes: ['write'] } })
    return { url: owner.url, token: body.key }
  }
  const offer = (by: Person, to: string, userId: string) =>
    ask(by, transfers.offerWorkspace, { params: { workspaceId: to }, body: { userId, password: by.password } })
  async function take(taker?: Parameters<typeof offered>[0]) {
    const { someone, params: of } = await offered(taker)
    return ask(someone, transfers.acceptTransfer, { params: of })
  }
  return {
    createWorkspace: {
      done: () => ask(owner, workspaces.createWorkspace, { body: { name: 'Sales' } }),
      async WORKSPACE_REQUIRED() {
        return ask(await customer(platform, 'pro'), workspaces.createWorkspace, { body: { name: 'Sales' } })
      },
      async FEATURE_LIMIT_REACHED() {
        const someone = await customer(platform, 'team')
        return repeat(11, () => ask(someone, workspaces.createWorkspace, { body: { name: 'Sales' } }))
      },
    },
    listWorkspaces: { done: () => ask(owner, workspaces.listWorkspaces) },
    getWorkspace: { done: () => ask(owner, workspaces.getWorkspace, ofOwner) },
    updateWorkspace: {
      done: () => ask(owner, workspaces.updateWorkspace, { ...ofOwner, body: { name: 'Support' } }),
    },
    deleteWorkspace: {
      async done() {
        return ask(owner, workspaces.deleteWorkspace, { params: { workspaceId: (await workspaceOf(owner)).id } })
      },
    },
    exportWorkspace: { done: () => ask(owner, exports.exportWorkspace, ofOwner) },
    inviteMember: {
      done: () => invite(owner),
      async FEATURE_LIMIT_REACHED() {
        const someone = await customer(platform, 'team')
        const { id } = await workspaceOf(someone)
        return repeat(25, () => invite(someone, id))
      },
    },
    listInvitations: { done: () => ask(owner, invitations.listInvitations, ofOwner) },
    withdrawInvitation: {
      async done() {
        const invitationId = (await inviteTo(platform, owner, workspaceId)).body.id
        return ask(owner, invitations.withdrawInvitation, { params: { workspaceId, invitationId } })
      },
    },
    previewInvitation: {
      done: async () => preview((await given()).token),
      INVALID_TOKEN: () => preview(unknown),
      TOKEN_EXPIRED: async () => preview((await given('expired')).token),
    },
    acceptInvitation: {
      async done() {
        const { someone, token } = await given()
        return accept(someone, token)
      },
      INVALID_TOKEN: () => accept(owner, unknown),
      async TOKEN_EXPIRED() {
        const { someone, token } = await given('expired')
        return accept(someone, token)
      },
      async WORKSPACE_REQUIRED() {
        const { someone, token } = await given('without a tier')
        return accept(someone, token)
      },
      async FEATURE_LIMIT_REACHED() {
        const { someone, token } = await given('full')
        return accept(someone, token)
      },
    },
    offerWorkspace: {
      done: async () => (await offered()).answer,
      MEMBER_NOT_FOUND: () => offer(owner, workspaceId, newId()),
    },
    withdrawTransfer: {
      async done() {
        const { payer, params: of } = await offered()
        return ask(payer, transfers.withdrawTransfer, { params: of })
      },
      NOT_FOUND: () => ask(owner, transfers.withdrawTransfer, ofOwner),
      PERMISSION_DENIED: async () => ask(await byKey(), transfers.withdrawTransfer, ofOwner),
    },
    acceptTransfer: {
      done: () => take(),
      async NOT_FOUND() {
        const params = { workspaceId }
        return ask(await memberOf(platform, workspaceId, 'member'), transfers.acceptTransfer, { params })
      },
      PERMISSION_DENIED: async () => ask(await byKey(), transfers.acceptTransfer, ofOwner),
      WORKSPACE_REQUIRED: () => take({ tier: 'pro' }),
      FEATURE_LIMIT_REACHED: () => take({ limits: { workspaces: 0 } }),
      AGENT_LIMIT_REACHED: () => take({ limits: { agents: 0 } }),
      VAULT_LIMIT_REACHED: () => take({ limits: { vaultSites: 0 } }),
    },
    listMembers: { done: () => ask(owner, members.listMembers, ofOwner) },
    changeRole: {
      done: async () => ask(owner, members.changeRole, { params: await member(), body }),
      MEMBER_NOT_FOUND: () => ask(owner, members.changeRole, { params: nobody, body }),
      ROLE_CHANGE_FORBIDDEN: async () => ask(owner, members.changeRole, { params: await owning(), body }),
    },
    removeMember: {
      done: async () => ask(owner, members.removeMember, { params: await member() }),
      MEMBER_NOT_FOUND: () => ask(owner, members.removeMember, { params: nobody }),
      ROLE_CHANGE_FORBIDDEN: async () => ask(owner, members.removeMember, { params: await owning() }),
    },
  }
}
