import * as admin from '../../../api/admin.ts'
import * as adminClock from '../../../api/admin-clock.ts'
import * as adminOverview from '../../../api/admin-overview.ts'
import * as audit from '../../../api/audit.ts'
import * as outbox from '../../../api/outbox.ts'
import { newId } from '../../../src/ids.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function adminTable({ admin: operator, params }: Stage, { ask }: Recorder): Table {
  const { host = '', userId = '' } = params
  const suspend = () => ask(operator, admin.suspendHost, { params: { host }, body: { reason: 'It is being attacked' } })
  const lift = (named: string) => ask(operator, admin.liftHost, { params: { host: named } })
  return {
    listHosts: { done: () => ask(operator, admin.listHosts) },
    suspendHost: { done: suspend },
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
