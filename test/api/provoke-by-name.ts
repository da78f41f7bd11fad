import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as health from '../../api/health.ts'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import * as webhooks from '../../api/webhooks.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { Answer } from '../helpers/client.ts'
import { agentOf, connectBadTools, customer, newcomer, person, webhookAgent, type Person } from '../helpers/people.ts'
import type { Recorder } from './recorder.ts'
import type { Spender } from './spender.ts'
import { anotherAgent, secretOf, validBodies, type Stage } from './stage.ts'

type Provoke = () => Promise<Answer<unknown>>
type Table = Record<string, Partial<Record<ErrorCode | 'done', Provoke>>>

/** By route: what makes it succeed (`done`), and the codes that depend on more than its declaration. */
export function provokersByName(stage: Stage, recorder: Recorder, spender: Spender): Table {
  return {
    ...accounts(stage, recorder),
    ...money(stage, recorder),
    ...sites(stage, recorder),
    ...agentsAndRuns(stage, recorder, spender),
    ...deliveries(stage, recorder, spender),
    healthz: { done: () => recorder.ask(stage.nobody, health.healthz) },
    readyz: { done: () => recorder.ask(stage.nobody, health.readyz) },
  }
}

function accounts({ platform, owner, nobody, sites }: Stage, { ask }: Recorder): Table {
  const { database } = platform.services
  const bodies = validBodies(sites)
  const credentials = { email: owner.email, password: owner.password }
  const refreshToken = async () => (await ask(nobody, auth.login, { body: credentials })).body.refreshToken
  const refresh = async (token: string) => ask(nobody, auth.refresh, { body: { refreshToken: token } })
  const key = { name: 'A key', scopes: ['read' as const] }
  return {
    register: { done: () => ask(nobody, auth.register, { body: bodies['register'] as never }) },
    login: {
      done: () => ask(nobody, auth.login, { body: credentials }),
      UNAUTHORIZED: () => ask(nobody, auth.login, { body: { ...credentials, password: 'a wrong password' } }),
    },
    refresh: {
      done: async () => refresh(await refreshToken()),
      INVALID_TOKEN: () => refresh('sy_refresh_never-given-out'),
      async TOKEN_EXPIRED() {
        const someone = await newcomer(platform)
        const { body } = await ask(nobody, auth.login, { body: { email: someone.email, password: someone.password } })
        // They live for a day at least.
        await database.raw(
          `update refresh_tokens set expires_at = now() where login_id in
             (select logins.id from logins join users on users.id = user_id where email = ?)`,
          [someone.email],
        )
        return refresh(body.refreshToken)
      },
      async TOKEN_REVOKED() {
        const token = await refreshToken()
        await refresh(token)
        return refresh(token)
      },
    },
    logout: { done: async () => ask(await newcomer(platform), auth.logout) },
    logoutEverywhere: { done: async () => ask(await newcomer(platform), auth.logoutEverywhere) },
    acceptTerms: { done: async () => ask(await newcomer(platform), auth.acceptTerms) },
    me: { done: () => ask(owner, auth.me) },
    changePassword: {
      async done() {
        const someone = await newcomer(platform)
        const body = { currentPassword: someone.password, newPassword: 'a better password' }
        return ask(someone, auth.changePassword, { body })
      },
    },
    listApiKeys: { done: () => ask(owner, auth.listApiKeys) },
    createApiKey: {
      done: () => ask(owner, auth.createApiKey, { body: key }),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(4, () => ask(someone, auth.createApiKey, { body: key }))
      },
    },
    deleteApiKey: {
      async done() {
        const { body } = await ask(owner, auth.createApiKey, { body: key })
        return ask(owner, auth.deleteApiKey, { params: { apiKeyId: body.id } })
      },
    },
  }
}

function money({ platform, owner }: Stage, { ask }: Recorder): Table {
  const add = (someone: Person, paymentMethod: string) =>
    ask(someone, billing.addPaymentMethod, { body: { paymentMethod } })
  const subscribe = (someone: Person) => ask(someone, billing.subscribe, { body: { tier: 'pro' } })
  return {
    getBilling: { done: () => ask(owner, billing.getBilling) },
    listPaymentMethods: { done: () => ask(owner, billing.listPaymentMethods) },
    listLedger: { done: () => ask(owner, billing.listLedger) },
    addPaymentMethod: {
      done: () => add(owner, 'pm_card_mastercard'),
      PAYMENT_FAILED: () => add(owner, 'pm_card_chargeDeclined'),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(21, () => add(someone, 'pm_card_visa'))
      },
    },
    removePaymentMethod: {
      async done() {
        const { body } = await add(owner, 'pm_card_visa')
        return ask(owner, billing.removePaymentMethod, { params: { paymentMethodId: body.id } })
      },
    },
    subscribe: {
      done: () => subscribe(owner),
      NO_PAYMENT_METHOD: async () => subscribe(await person(platform)),
      async PAYMENT_FAILED() {
        const someone = await person(platform)
        await add(someone, 'pm_card_chargeCustomerFail')
        return subscribe(someone)
      },
    },
  }
}

function sites({ platform, sites: given, origins, owner, params }: Stage, { ask }: Recorder): Table {
  const { entryId = '' } = params
  const inspect = (url: string) => ask(owner, vault.inspectSite, { body: { url } })
  const connect = (url: string, someone = owner) =>
    ask(someone, vault.addToVault, { body: { url, token: 'any-token' } })
  const use = (toolName: string, body = {}) => ask(owner, vault.callTool, { params: { entryId, toolName }, body })
  const bySite = (reach: (url: string) => Promise<Answer<unknown>>) => ({
    INVALID_URL: () => reach('tracker.example.com'),
    MANIFEST_NOT_FOUND: () => reach(given.deadOrigin),
    MANIFEST_INVALID: () => reach(given.brokenManifest.origin),
  })
  return {
    inspectSite: { done: () => inspect(given.tracker.origin), ...bySite(inspect) },
    listVault: { done: () => ask(owner, vault.listVault) },
    addToVault: {
      done: () => connect(given.tracker.origin),
      ...bySite(connect),
      TOKEN_EXISTS: () => connect(given.badTools.origin),
      async VAULT_LIMIT_REACHED() {
        const someone = await person(platform)
        const all = [given.tracker.origin, ...origins, given.badTools.origin]
        return repeat(all.length, (index) => connect(all[index] ?? '', someone))
      },
    },
    getVaultEntry: { done: () => ask(owner, vault.getVaultEntry, { params: { entryId } }) },
    replaceVaultToken: {
      done: () => ask(owner, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another-token' } }),
    },
    removeFromVault: {
      async done() {
        const someone = await person(platform)
        return ask(someone, vault.removeFromVault, { params: { entryId: await connectBadTools(someone, given) } })
      },
    },
    listTools: { done: () => ask(owner, vault.listTools, { params: { entryId } }) },
    callTool: {
      done: () => use('echo_text', { text: 'hello' }),
      SITE_UNAVAILABLE: () => use('reset'),
      TOOL_EXECUTION_ERROR: () => use('fail'),
    },
  }
}

function agentsAndRuns({ platform, owner, params }: Stage, { ask }: Recorder, spender: Spender): Table {
  const { agentId = '', runId = '' } = params
  const create = (someone: Person, trigger: 'manual' | 'webhook') =>
    ask(someone, agents.createAgent, { body: { name: 'An agent', systemPrompt: 'Report.', trigger } })
  const start = (someone: Person, id: string) => ask(someone, agents.startRun, { params: { agentId: id } })
  const cancel = (id: string) => ask(owner, runs.cancelRun, { params: { runId: id } })
  const startedRun = async () => (await start(owner, await anotherAgent(owner))).body.id
  return {
    createAgent: {
      done: () => create(owner, 'webhook'),
      TIER_REQUIRED: async () => create(await person(platform), 'webhook'),
      async AGENT_LIMIT_REACHED() {
        const someone = await person(platform)
        return repeat(4, () => create(someone, 'manual'))
      },
    },
    listAgents: { done: () => ask(owner, agents.listAgents) },
    getAgent: { done: () => ask(owner, agents.getAgent, { params: { agentId } }) },
    updateAgent: {
      done: () => ask(owner, agents.updateAgent, { params: { agentId }, body: { name: 'Another name' } }),
      async TIER_REQUIRED() {
        const someone = await person(platform)
        const { id } = await agentOf(someone)
        return ask(someone, agents.updateAgent, { params: { agentId: id }, body: { trigger: 'webhook' } })
      },
    },
    deleteAgent: {
      done: async () => ask(owner, agents.deleteAgent, { params: { agentId: await anotherAgent(owner) } }),
    },
    startRun: {
      done: async () => start(owner, await anotherAgent(owner)),
      async AGENT_ALREADY_RUNNING() {
        const id = await anotherAgent(owner)
        return repeat(2, () => start(owner, id))
      },
      async NO_CREDITS() {
        const { someone, agent } = await spender()
        return start(someone, agent.id)
      },
    },
    listAgentRuns: { done: () => ask(owner, agents.listAgentRuns, { params: { agentId } }) },
    listRuns: { done: () => ask(owner, runs.listRuns) },
    getRun: { done: () => ask(owner, runs.getRun, { params: { runId } }) },
    listEvents: { done: () => ask(owner, runs.listEvents, { params: { runId } }) },
    cancelRun: {
      done: async () => cancel(await startedRun()),
      async RUN_NOT_CANCELLABLE() {
        const id = await startedRun()
        return repeat(2, () => cancel(id))
      },
    },
  }
}

function deliveries(stage: Stage, { ask }: Recorder, spender: Spender): Table {
  const { platform, agent, params } = stage
  const { agentId = '', runId = '' } = params
  const { database } = platform.services
  const receive = (to: { id: string; webhookSecret: string }, client = stage.nobody) =>
    ask(client, webhooks.receiveWebhook, {
      params: { agentId: to.id },
      raw: '{"title":"It is broken"}',
      headers: { 'x-webhook-secret': to.webhookSecret },
    })
  /** Delivers to an agent whose owner's account was changed as only time can, or what is not there yet. */
  async function afterChange(change: Record<string, unknown>) {
    const someone = await customer(platform)
    const theirs = await webhookAgent(someone)
    await database('accounts')
      .update(change)
      .whereIn('ownerId', database('users').select('id').where({ email: someone.email }))
    return receive(theirs)
  }
  return {
    receiveWebhook: {
      done: () => receive(agent),
      WEBHOOK_SECRET_INVALID: () => receive({ ...agent, webhookSecret: 'wrong' }),
      // A subscription cannot be ended by request yet.
      TIER_REQUIRED: () => afterChange({ tier: 'free', currentPeriodEnd: null }),
      SUBSCRIPTION_PAST_DUE: () => afterChange({ currentPeriodEnd: new Date(Date.now() - 1000) }),
      async WEBHOOK_PAYLOAD_INVALID() {
        return receive(await webhookAgent(stage.owner, { webhookSchema: [{ name: 'content', type: 'string' }] }))
      },
      async NO_CREDITS() {
        const { someone, agent: poor } = await spender()
        return receive(poor, { url: someone.url })
      },
    },
    getDelivery: {
      done: () => ask(stage.nobody, webhooks.getDelivery, { params: { agentId, runId }, headers: secretOf(stage) }),
      WEBHOOK_SECRET_INVALID: () => ask(stage.nobody, webhooks.getDelivery, { params: { agentId, runId } }),
    },
  }
}

/** Does it so many times and returns what came of the last; each may have its own arguments. */
async function repeat<T>(times: number, work: (index: number) => Promise<T>): Promise<T> {
  for (let index = 0; index < times - 1; index += 1) await work(index)
  return work(times - 1)
}
