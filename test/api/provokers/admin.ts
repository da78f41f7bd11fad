import * as admin from '../../../api/admin.ts'
import * as adminClock from '../../../api/admin-clock.ts'
import * as adminCredits from '../../../api/admin-credits.ts'
import * as adminOverview from '../../../api/admin-overview.ts'
import * as adminUsers from '../../../api/admin-users.ts'
import * as audit from '../../../api/audit.ts'
import * as outbox from '../../../api/outbox.ts'
import { newId } from '../../../src/ids.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function adminTable(stage: Stage, { ask }: Recorder): Table {
  const { admin: operator, params, platform, newcomer } = stage
  const { host = '', userId = '' } = params
  const give = (to: string) =>
    ask(operator, adminCredits.giveCredits, { params: { userId: to }, body: { credits: 5, note: 'For trying it' } })
  const suspend = () => ask(operator, admin.suspendHost, { params: { host }, body: { reason: 'It is being attacked' } })
  const lift = (named: string) => ask(operator, admin.liftHost, { params: { host: named } })
  const named = (to: string) => ({ params: { userId: to } })
  /** Somebody of whom nothing else depends, so that they can be suspended and deleted. */
  const another = async (): Promise<string> => userIdOf(await newcomer())
  const suspendUser = (to: string) =>
    ask(operator, adminUsers.suspendUser, { ...named(to), body: { reason: 'For trying it' } })
  const cancel = (runId: string) => ask(operator, adminUsers.cancelRunOfUser, { params: { runId } })
  const runOf = async (): Promise<string> => {
    const someone = await customer(platform)
    return (await deliver(platform, await webhookAgent(someone), { title: 'It is broken' })).body.runId
  }
  const hold = (host: string) => platform.services.outgoingLimit.hold(host, 60, 'The site answered 429.')
  const limit = (named: string) =>
    ask(operator, admin.limitHost, { params: { host: named }, body: { callsPerMinute: 60 } })
  const unlimit = (named: string) => ask(operator, admin.unlimitHost, { params: { host: named } })
  const endHold = (host: string) => ask(operator, admin.endHold, { params: { host } })
  return {
    getUser: {
      done: () => ask(operator, adminUsers.getUser, named(userId)),
      NOT_FOUND: () => ask(operator, adminUsers.getUser, named(newId())),
    },
    giveTier: {
      done: async () => ask(operator, adminUsers.giveTier, { ...named(await another()), body: { tier: 'pro' } }),
      NOT_FOUND: () => ask(operator, adminUsers.giveTier, { ...named(newId()), body: { tier: 'pro' } }),
    },
    suspendUser: { done: async () => suspendUser(await another()), NOT_FOUND: () => suspendUser(newId()) },
    liftUser: {
      async done() {
        const to = await another()
        await suspendUser(to)
        return ask(operator, adminUsers.liftUser, named(to))
      },
      NOT_FOUND: () => ask(operator, adminUsers.liftUser, named(userId)),
    },
    deleteUser: {
      done: async () => ask(operator, adminUsers.deleteUser, named(await another())),
      NOT_FOUND: () => ask(operator, adminUsers.deleteUser, named(newId())),
    },
    restoreUser: {
      async done() {
        const to = await another()
        await ask(operator, adminUsers.deleteUser, named(to))
        return ask(operator, adminUsers.restoreUser, named(to))
      },
      NOT_FOUND: () => ask(operator, adminUsers.restoreUser, named(newId())),
    },
    listRunsOfUser: {
      done: () => ask(operator, adminUsers.listRunsOfUser, named(userId)),
      NOT_FOUND: () => ask(operator, adminUsers.listRunsOfUser, named(newId())),
    },
    cancelRunOfUser: {
      done: async () => cancel(await runOf()),
      RUN_NOT_FOUND: () => cancel(newId()),
      async RUN_NOT_CANCELLABLE() {
        const runId = await runOf()
        await cancel(runId)
        return cancel(runId)
      },
    },
    endHold: {
      async done() {
        await hold('held.example.com')
        return endHold('held.example.com')
      },
      NOT_FOUND: () => endHold('never-held.example.com'),
    },
    listHosts: { done: () => ask(operator, admin.listHosts) },
    suspendHost: { done: suspend },
    limitHost: { done: () => limit('limited.example.com') },
    unlimitHost: {
      async done() {
        await limit('unlimited.example.com')
        return unlimit('unlimited.example.com')
      },
      NOT_FOUND: () => unlimit('never-limited.example.com'),
    },
    giveCredits: {
      done: () => give(userId),
      NOT_FOUND: () => give(newId()),
    },
    listUsers: { done: () => ask(operator, adminOverview.listUsers) },
    listAllWorkspaces: { done: () => ask(operator, adminOverview.listAllWorkspaces) },
    getStats: { done: () => ask(operator, adminOverview.getStats) },
    listConfiguredModels: { done: () => ask(operator, adminOverview.listConfiguredModels) },
    listAuditOfAll: { done: () => ask(operator, audit.listAuditOfAll) },
    listOutbox: { done: () => ask(operator, outbox.listOutbox) },
    listWorkers: { done: () => ask(operator, admin.listWorkers) },
    advanceClock: {
      done: () => ask(operator, adminClock.advanceClock, { params: { userId }, body: { seconds: 60 } }),
      NOT_FOUND: () => ask(operator, adminClock.advanceClock, { params: { userId: newId() }, body: { seconds: 60 } }),
    },
    liftHost: {
      async done() {
        await suspend()
        return lift(host)
      },
      NOT_FOUND: () => lift('never-suspended.example.com'),
    },
  }
}
